"""A snippet file as data: sections, hidden state, what pages show of it, and its digest."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import World, section

from tools.project import GuideError
from tools.snippets.source import Snippet

PAIR_OF_SECTIONS = '''"""What the file is about."""

import math
import os.path as paths
from collections import OrderedDict, deque

# --8<-- [start:first]
x = math.pi
# --8<-- [end:first]

# --8<-- [start:second]
def area(r):
    return x * r**2 + offset()


def offset():
    return len(paths.sep)


print(area(2))
# --8<-- [end:second]

# --8<-- [start:alone]
queue = deque([n for n in range(3)])
print(queue)
# --8<-- [end:alone]

agree = {"first": x}
'''


def refusal(snippet: Snippet) -> str:
    """The one line with which the tools refuse a file, without the path of its folder."""
    with pytest.raises(GuideError) as caught:
        _ = snippet.segments, snippet.shown
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{snippet.path}:")


def test_sections_are_read_in_file_order_without_their_markers(world: World) -> None:
    sections = world.write(PAIR_OF_SECTIONS).sections
    assert list(sections) == ["first", "second", "alone"]
    assert (sections["first"].first, sections["first"].last, sections["first"].code) == (8, 8, "x = math.pi")
    assert "8<" not in sections["second"].code
    assert sections["second"].code.startswith("def area(r):\n")
    assert sections["second"].code.endswith("\nprint(area(2))")


def test_statements_belong_to_the_section_around_them(world: World) -> None:
    segments = world.write(PAIR_OF_SECTIONS).segments
    assert [(name, len(statements)) for name, statements in segments] == [
        (None, 4),  # the docstring and three imports
        ("first", 1),
        ("second", 3),
        ("alone", 2),
        (None, 1),  # agree
    ]


def test_a_page_shows_the_imports_a_section_uses_and_no_others(world: World) -> None:
    shown = world.write(PAIR_OF_SECTIONS).shown
    assert shown["first"].code == "import math\n\nx = math.pi"
    assert shown["second"].code.startswith("import os.path as paths\n\ndef area(r):")
    assert shown["alone"].code.startswith("from collections import deque\n\nqueue")


def test_a_page_names_the_sections_that_a_section_continues(world: World) -> None:
    snippet = world.write(PAIR_OF_SECTIONS)
    assert {name: shown.continues for name, shown in snippet.shown.items()} == {
        "first": (),
        "second": ("first",),  # by way of a function's body, which reads x when it is called
        "alone": (),
    }


def test_what_a_page_shows_runs_by_itself(world: World) -> None:
    """A reader who copies a section, and before it the sections it continues, gets no NameError."""
    shown = world.write(PAIR_OF_SECTIONS).shown
    for name in shown:
        exec("\n".join(shown[part].code for part in (*shown[name].continues, name)), {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# --8<-- [start:a]\nx = 1\n", "1: section a is never ended"),
        ("x = 1\n# --8<-- [end:a]\n", "2: section a ends without a start"),
        ("# --8<-- [start:a]\n# --8<-- [end:b]\n", "2: section b ends without a start"),
        ("# --8<-- [start:a]\n# --8<-- [start:b]\n", "2: section b starts inside section a"),
        (section("a", "x = 1") + section("a", "x = 2"), "4: section a is there twice"),
        ("if True:\n    # --8<-- [start:a]\n    x = 1\n", "2: a section marker must not be indented"),
        ("# --8<-- [start:a]\ndef f():\n# --8<-- [end:a]\n    pass\n", "2: section a cuts through a statement"),
        ("@property\n# --8<-- [start:a]\ndef f(): ...\n# --8<-- [end:a]\n", "1: section a cuts through a statement"),
        ("x = (1,\n# --8<-- [start:a]\n)\n# --8<-- [end:a]\n", "1: section a cuts through a statement"),
        (section("a", "x = = 1"), "2: syntax error: invalid syntax"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_refused_with_its_line(world: World, text: str, expected: str) -> None:
    assert refusal(world.write(text)) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "secret = 2\n" + section("a", "print(secret)"),
        "def secret():\n    return 2\n" + section("a", "print(secret())"),
        section("a", "def f():\n    return secret\nprint(f)") + "secret = 2\n",
        section("a", "class A:\n    b = secret\nprint(A)") + section("b", "secret = 2"),
        section("a", "print([secret for _ in range(2)])"),
        section("a", "print(secret)\nsecret = 2"),
        "if True:\n    import math as secret\n" + section("a", "print(secret)"),
    ],
    ids=["variable", "function", "in-a-body", "later-section", "comprehension", "too-early", "conditional"],
)
def test_hidden_state_is_refused(world: World, hidden: str) -> None:
    """Code that a page shows may use only what pages show: a reader cannot see the rest of the file."""
    assert refusal(world.write(hidden)).endswith("section a uses 'secret', which no section shows")


def test_what_is_not_hidden_is_not_refused(world: World) -> None:
    """Builtins, the module's own names, parameters, loop variables and recursion need no binding above."""
    body = """
        def walk(n, *rest, key=None):
            inner = [i for i in range(n)]
            return walk(n - 1) if n else (inner, rest, key, later)

        class Thing:
            size = 3
            def double(self):
                return self.size * 2

        later = 1
        for step in range(2):
            print(walk(step), Thing().double())
        try:
            raise ValueError
        except ValueError as error:
            print(repr(error), __name__, __file__)
    """
    assert world.write(section("a", body)).shown["a"].continues == ()


IMPORTS_A_HELPER = "from snippets.common.helper import value\n" + section("a", "print(value)")


def test_the_digest_follows_the_file_and_everything_of_the_repository_it_imports(world: World) -> None:
    common = world.snippets / "common"
    common.mkdir()
    (common / "helper.py").write_text("from snippets.common import deeper\nvalue = deeper.value\n")
    (common / "deeper.py").write_text("value = 1\n")
    (common / "unrelated.py").write_text("value = 1\n")
    before = world.write(IMPORTS_A_HELPER).digest

    assert world.write(IMPORTS_A_HELPER).digest == before
    assert world.write(IMPORTS_A_HELPER + "# a comment\n").digest != before
    (common / "unrelated.py").write_text("value = 2\n")
    assert world.write(IMPORTS_A_HELPER).digest == before
    (common / "helper.py").write_text("import snippets.common.deeper\nvalue = snippets.common.deeper.value\n")
    through_helper = world.write(IMPORTS_A_HELPER).digest
    assert through_helper != before
    (common / "deeper.py").write_text("value = 2\n")
    assert world.write(IMPORTS_A_HELPER).digest not in (before, through_helper)


def test_the_digest_is_of_the_text_that_was_read(world: World) -> None:
    """A file saved again while its earlier text runs: the result must not pass for one of the later text."""
    snippet = world.write(section("a", "print(1)"))
    later = world.write(section("a", "print(2)"))
    assert snippet.digest != later.digest


def test_a_syntax_error_in_an_imported_file_names_that_file(world: World) -> None:
    helper: Path = world.snippets / "common" / "helper.py"
    helper.parent.mkdir()
    helper.write_text("value = 1\ndef broken(:\n")
    with pytest.raises(GuideError) as caught:
        _ = world.write(IMPORTS_A_HELPER).digest
    assert str(caught.value) == f"{helper}:2: syntax error: invalid syntax"


def test_a_file_that_is_not_text_is_refused(world: World) -> None:
    path = world.write("").path
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GuideError, match="topic.py: cannot be read") as caught:
        Snippet(path, "pytorch", "topic")
    assert "\n" not in str(caught.value)
