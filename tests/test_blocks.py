"""Every code block of every page is executed, or says on the page why not; nothing is skipped in silence.

The blocks themselves run apart, as `make test` does:

    python -m tools.site.blocks site .cache/blocks
    python -m pytest -p tests.blocks_plugin --codeblocks .cache/blocks

Here the accounts are checked: what a reader sees, what is collected, and what becomes of a bad block.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from blocks_plugin import difference
from conftest import Page
from pytest_codeblocks import extract_from_file

from tools.project import ROOT, GuideError, write_atomically
from tools.site import blocks

TWIN = """
=== "PyTorch"

    <!-- snippet: snippets/pytorch/probe.py [first] -->

    ```python
    import sys

    word = "one"
    print(word)
    ```

    ```text
    one
    ```

    ??? note "Warnings and log lines it printed"

        ```text
        a warning
        ```

Some prose.

=== "PyTorch"

    <!-- snippet: snippets/pytorch/probe.py [second] -->

    Continues `first` above.
    { .continues }

    ```python
    print(word, "more")
    ```

    ```text
    one more
    ```
"""


def openings(markdown: str) -> int:
    """How many fenced blocks a text opens, counted without the parser under test."""
    count, closing = 0, ""
    for line in map(str.strip, markdown.splitlines()):
        if not closing and line.startswith(("```", "~~~")):
            count += 1
            closing = line[: len(line) - len(line.lstrip(line[0]))]
        elif closing and line.startswith(closing) and set(line) == set(closing):
            closing = ""
    return count


def collected(tracks: list[blocks.Track], folder: Path) -> int:
    """How many blocks pytest-codeblocks would execute in these tracks, joined ones counted one by one."""
    count = 0
    for track in tracks:
        path = folder / track.name
        write_atomically(path, track.text)
        count += sum(block.syntax in ("python", "sh", "bash") for block in extract_from_file(path))
        count += track.text.count("<!--pytest-codeblocks:cont-->")
    return count


def account(uri: str, markdown: str, folder: Path) -> tuple[int, int]:
    """The blocks that a page opens, and those that are executed, outputs of these, or excused."""
    found = blocks.fences(markdown)
    outputs = sum(fence.output_of is not None for fence in found)
    excused = sum(fence.reason is not None for fence in found)
    return openings(markdown), collected(blocks.tracks(uri, markdown), folder) + outputs + excused


def plain(text: str) -> str:
    """Text without Markdown's backticks and with single spaces."""
    return " ".join(text.replace("`", "").split())


def test_every_block_is_executed_or_excused(pages: list[Page], tmp_path: Path) -> None:
    """Guards against a block that no test runs: three independent counts must be equal on every page."""
    wrong = []
    total = 0
    for page in pages:
        opened, accounted = account(page.uri, page.markdown, tmp_path)
        shown = len(page.html.select("article pre"))
        total += opened
        if not opened == accounted == shown:
            wrong.append(f"{page.uri}: {opened} opened, {shown} shown, {accounted} accounted for")
            wrong += blocks.unaccounted(page.uri, page.markdown)
    assert not wrong, "\n".join(wrong)
    assert total, "no page shows a block"


def test_what_runs_is_what_readers_see(pages: list[Page], tmp_path: Path) -> None:
    """Guards against testing other code than the page shows: both are compared to the byte."""
    for page in pages:
        shown = [pre.get_text() for pre in page.html.select("article pre")]
        fences = blocks.fences(page.markdown)
        assert [text.strip("\n") for text in shown] == [f.code.strip("\n") for f in fences], page.uri
        for track in blocks.tracks(page.uri, page.markdown):
            write_atomically(tmp_path / track.name, track.text)
            run = "".join(block.code for block in extract_from_file(tmp_path / track.name))
            assert run == "".join(fence.code for fence in track.fences), track.name


def test_reasons_are_visible(pages: list[Page]) -> None:
    """Guards against an excuse that stands only in a comment: readers must see it on the page."""
    for page in pages:
        text = plain(page.html.find("article").get_text(" "))
        for fence in blocks.fences(page.markdown):
            assert fence.reason is None or plain(fence.reason) in text, f"{page.uri}:{fence.line}"


def test_blocks_in_tabs_form_one_track() -> None:
    """A page's blocks of one file are joined in page order; outputs are expected, warnings are not."""
    (track,) = blocks.tracks("probe.md", TWIN)
    assert track.name == "probe/pytorch.probe.md"
    assert [fence.section for fence in track.fences] == ["first", "second"]
    assert [fence.indent for fence in track.fences] == [4, 4]
    assert track.text.endswith("```text\none\none more\n```\n")
    assert openings(TWIN) == len(blocks.fences(TWIN)) == 5


@pytest.mark.parametrize(
    "opening", ["```py", '```python title="x.py"', "```Python", "```", "```text", "~~~py", '=== "Tab"\n\n    ```pycon']
)
def test_a_block_that_would_be_skipped_is_an_error(opening: str, tmp_path: Path) -> None:
    """pytest-codeblocks passes over unknown info strings without a word: here they break the account."""
    closing = "~~~" if "~~~" in opening else "```"
    page = f"{TWIN}\nProse.\n\n{opening}\nprint(1)\n{closing}\n"
    if opening.startswith("==="):
        page = page.replace("\nprint(1)\n```", "\n    print(1)\n    ```")
    opened, accounted = account("probe.md", page, tmp_path)
    assert (opened, accounted) == (6, 5)
    write_atomically(tmp_path / "site" / "probe.md", page)
    with pytest.raises(GuideError, match=r"^probe\.md:\d+: the tests would skip this block in silence"):
        blocks.write(tmp_path / "site", tmp_path / "out")


def test_a_reason_excuses_the_next_block_only(tmp_path: Path) -> None:
    """Guards against an excuse that reaches further than the sentence in which readers see it."""
    excuse = "<!-- not-executed: it never ends -->\n\nNot executed by the tests: it never ends\n{ .continues }\n\n"
    block = "```sh\nmake serve\n```\n"
    first, second = blocks.fences(f"{excuse}{block}\n{block}")
    assert (first.reason, second.reason) == ("it never ends", None)
    assert not blocks.unaccounted("probe.md", f"{excuse}{block}")
    (unseen,) = blocks.fences(f"{excuse}Other prose.\n\n{block}")
    assert unseen.reason is None


def test_bad_blocks_fail_and_harm_no_others(tmp_path: Path) -> None:
    """Runs pages as `make test` does: each kind of bad block fails, by name, and the good ones pass."""
    own = "```python\n{}\n```\n\n```text\n{}\n```\n"
    site = {
        "good.md": TWIN,
        "shell.md": "```sh\nls Makefile\n```\n\n```text\nMakefile\n```\n",
        "wrong.md": TWIN.replace("one more\n    ```", "two more\n    ```"),
        "silent.md": "```python\nprint('not shown on the page')\n```\n",
        "raises.md": own.format("x = 1\nraise KeyError('missing key')", "x"),
        "crashes.md": own.format("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "x"),
        "alone.md": own.format("print(word)", "one"),
        "status.md": "```bash\nls | head -1 && false\n```\n",
    }
    for name, text in site.items():
        write_atomically(tmp_path / "site" / name, text)
    arguments = ["-p", "tests.blocks_plugin", "-p", "no:cacheprovider", "-rA", "--codeblocks", tmp_path / "out"]
    blocks.write(tmp_path / "site", tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1, done.stdout + done.stderr
    words = [line.split() for line in done.stdout.splitlines()]
    result = {Path(w[1].partition("::")[0]).parent.name: w[0] for w in words if w and w[0] in ("PASSED", "FAILED")}
    assert result == {Path(name).stem: "FAILED" for name in site} | {"good": "PASSED", "shell": "PASSED"}
    for said in ("-two more", "+not shown", "raise KeyError('missing key')", "SIGSEGV", "'word'", "status 1"):
        assert said in done.stdout


def test_declared_volatile_lines_are_not_compared() -> None:
    """A line that an exception declares volatile may differ; any other line may not."""
    assert not difference("took 1 s\nsame\n", "took 2 s\nsame\n", ["^took "])
    assert difference("took 1 s\nsame\n", "took 2 s\nother\n", ["^took "])
    assert difference("same\n", "same\nmore\n", [])


def test_the_command_is_clear_about_mistakes(tmp_path: Path) -> None:
    """A folder with no page, and a folder that holds other Markdown, get one line and status 1."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_text("# Mine\n", encoding="utf-8")
    write_atomically(tmp_path / "site" / "good.md", TWIN)
    for site, out, said in (("empty", "out", "holds no rendered page"), ("site", "notes", "mine.md was not written")):
        done = subprocess.run(
            [sys.executable, "-m", "tools.site.blocks", tmp_path / site, tmp_path / out],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert said in done.stderr and done.stderr.count("\n") == 1
    assert (tmp_path / "notes" / "mine.md").read_text(encoding="utf-8") == "# Mine\n"
