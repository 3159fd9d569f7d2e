"""What is kept of a pair: written whole or not at all, never believed when broken, and mended by running again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import REASON, World, one_line, section

from tools import check
from tools.project import ROOT, GuideError, pinned, write_atomically
from tools.site.twins import Twin
from tools.snippets import freshness, run, store
from tools.snippets.source import Snippet
from tools.snippets.store import Output, Pair, Side, Value

TEXT = section("one", "print(1)") + "agree = {'one': 1.0}\n"


def side(snippet: Snippet, version: str | None = None, value: float = 1.0) -> Side:
    """A stored execution of a snippet as it is now, with the pinned version if no other is named."""
    pin = pinned()[{"pytorch": "torch", "mindspore": "mindspore"}[snippet.framework]]
    return Side(
        digest=snippet.digest,
        version=version or f"{pin}+cpu",
        numpy="1.26.4",
        python="3.11.7",
        executed="2026-01-01T00:00:00Z",
        seconds=0.1,
        sections={"one": Output(stdout="1\n", seconds=0.1)},
        values={"one": Value(dtype="float64", shape=[], data=[value])},
    )


@pytest.fixture
def stored(world: World) -> Path:
    """The results file of a pair that is up to date."""
    snippets = [world.write(TEXT, framework) for framework in ("pytorch", "mindspore")]
    run.merge("topic", {s.framework: side(s) for s in snippets}, world.results)
    assert freshness.stale(["topic"], world.results) == []
    return store.path_of("topic", world.results)


def edited(path: Path, change: Callable[[dict], object]) -> None:
    """Edit a results file by hand."""
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")


def cut(path: Path, share: float) -> None:
    """Keep the beginning of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda p: cut(p, 0.5), "is not a valid result (Invalid JSON: EOF"),
        (lambda p: cut(p, 0), "is not a valid result (Invalid JSON: EOF"),
        (lambda p: p.write_bytes(p.read_bytes() * 2), "is not a valid result (Invalid JSON: trailing characters"),
        (lambda p: p.write_bytes(b"\xff\xfe\x00"), "cannot be read ("),
        (lambda p: p.write_text("[]"), "is not a valid result ("),
        (lambda p: edited(p, lambda d: d.update(note="x")), "(note: Extra inputs are not permitted)"),
        (lambda p: edited(p, lambda d: d.pop("topic")), "(topic: Field required)"),
        (lambda p: edited(p, lambda d: d["sides"].update(jax={})), "(sides.jax.[key]: Input should be"),
        (lambda p: edited(p, lambda d: d["sides"]["pytorch"].update(seconds="long")), "(sides.pytorch.seconds: "),
        (lambda p: edited(p, lambda d: d["sides"]["pytorch"].update(digest="?")), "(sides.pytorch.digest: "),
        (
            lambda p: edited(p, lambda d: d["sides"]["pytorch"]["sections"]["one"].update(stdout="2\n")),
            "was changed after it was written",
        ),
        (
            lambda p: edited(p, lambda d: d["agreement"]["one"].update(largest_difference=0.5)),
            "was changed after it was written",
        ),
        (lambda p: edited(p, lambda d: d.update(seal="")), "was changed after it was written"),
    ],
    ids=["truncated", "empty", "twice", "not-text", "a-list", "unknown-key", "missing-key", "unknown-framework",
         "wrong-type", "wrong-digest", "output-edited", "difference-edited", "seal-removed"],
)  # fmt: skip
def test_a_broken_result_is_refused_and_mended_by_running_again(
    world: World, stored: Path, damage: Callable[[Path], object], expected: str
) -> None:
    damage(stored)
    with pytest.raises(GuideError) as caught:
        store.load("topic", world.results)
    message = str(caught.value)
    assert one_line(message)
    assert message.startswith(f"{stored} ")
    assert expected in message
    assert message.endswith("; delete it and run: python -m tools run topic")

    with pytest.raises(GuideError):  # no page shows it
        Twin("topic")
    broken = freshness.stale(["topic"], world.results)
    assert [snippet.framework for snippet in broken] == ["pytorch", "mindspore"]
    run.merge("topic", {s.framework: side(s) for s in broken}, world.results)
    assert freshness.stale(["topic"], world.results) == []


def test_what_is_stored_reads_back_equal(world: World, stored: Path) -> None:
    """Every kind of value, and text in any language, survives the file."""
    pair = world.pair()
    data = [0.1, 1e-300, 1e300, 5, True, "nan", "-inf", "你好", ""]
    pair.sides["pytorch"].values["kinds"] = Value(dtype="object", shape=[len(data)], data=data)
    pair.sides["pytorch"].sections["one"] = Output(stdout="你好 \x1b[0m\u2028\n", stderr="é", seconds=0)
    store.save(pair, world.results)
    again = world.pair()
    assert again == pair
    kept = again.sides["pytorch"].values["kinds"].data
    assert [(type(x), x) for x in kept] == [(type(x), x) for x in data]


def test_saving_the_same_content_again_writes_the_same_bytes(world: World, stored: Path) -> None:
    before = stored.read_bytes()
    store.save(world.pair(), world.results)
    assert stored.read_bytes() == before


# Written whole or not at all


def test_a_failed_write_leaves_the_old_file(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, a revoked permission: the old result is untouched and nothing is left lying about."""
    before = stored.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(stored, "new")
    assert stored.read_bytes() == before
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


@pytest.mark.parametrize("moment", ["fdopen", "chmod", "replace"])
def test_a_kill_half_way_leaves_the_old_file(world: World, stored: Path, moment: str) -> None:
    """kill -9 before a byte is written, before the file is complete, and just before it takes its place."""
    before = world.pair()
    script = f"""
import os, signal
from pathlib import Path
from tools.project import write_atomically
os.{moment} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path({str(stored)!r}), "half a result")
"""
    killed = subprocess.run([sys.executable, "-c", script], cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    assert world.pair() == before
    assert [path.stem for path in world.results.rglob("*.json")] == ["topic"]


# Stale


def test_a_result_of_another_version_is_stale(world: World, stored: Path) -> None:
    pair = world.pair()
    pair.sides["mindspore"].version = "2.9.0"
    store.save(pair, world.results)
    assert [s.framework for s in freshness.stale(["topic"], world.results)] == ["mindspore"]
    with pytest.raises(GuideError) as caught:
        Twin("topic")
    pin = pinned()["mindspore"]
    assert str(caught.value) == (
        f"snippets/mindspore/topic.py ran with mindspore 2.9.0, but requirements.txt pins {pin}; "
        "run: python -m tools run topic"
    )


def test_only_the_changed_side_is_stale(world: World, stored: Path) -> None:
    world.write(TEXT + "# changed\n", "pytorch")
    assert [s.framework for s in freshness.stale(["topic"], world.results)] == ["pytorch"]
    with pytest.raises(GuideError, match=r"^snippets/pytorch/topic.py changed since it ran; run: \S+ -m tools run"):
        Twin("topic")


def test_what_never_ran_is_stale(world: World) -> None:
    world.write(TEXT)
    assert [s.topic for s in freshness.stale(["topic"], world.results)] == ["topic"]
    with pytest.raises(GuideError, match="^topic has never run; run: python -m tools run topic$"):
        Twin("topic")


def test_a_side_whose_file_is_gone_leaves_the_result(world: World, stored: Path) -> None:
    (world.snippets / "mindspore" / "topic.py").unlink()
    pair = run.merge("topic", {}, world.results)
    assert set(pair.sides) == {"pytorch"}
    assert pair.agreement == {}


# Exceptions


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"kind": "differs"}, "an exception of kind differs needs value"),
        ({"kind": "tolerance", "value": "one"}, "an exception of kind tolerance needs tolerance"),
        ({"kind": "one_side"}, "an exception of kind one_side needs framework"),
        ({"kind": "volatile", "section": "one"}, "an exception of kind volatile needs lines"),
        ({"kind": "slow"}, "an exception of kind slow needs seconds"),
        ({"kind": "slow", "seconds": -1}, "seconds: Input should be greater than 0"),
        ({"kind": "sometimes"}, "kind: Input should be 'differs'"),
        ({"kind": "slow", "seconds": 9, "framework": "jax"}, "framework: Input should be 'pytorch' or"),
        ({"kind": "slow", "seconds": 9, "secs": 9}, "secs: Extra inputs are not permitted"),
        ({"topic": "other", "kind": "slow", "seconds": 9}, "topic: Extra inputs are not permitted"),
        ({"kind": "slow", "seconds": 9, "reason": None}, "reason: Input should be"),
        ({"kind": "slow", "seconds": 9, "reason": {"en": "it takes long"}}, "reason.zh: Field required"),
        ({"kind": "slow", "seconds": 9, "reason": REASON | {"en": "slow"}}, "reason.en: String should have at"),
        ({"kind": "volatile", "section": "one", "lines": "("}, "lines is not a regular expression: missing )"),
    ],
)  # fmt: skip
def test_an_exception_row_that_says_too_little_is_refused(world: World, row: dict, expected: str) -> None:
    fine = {"kind": "slow", "seconds": 9}
    world.exceptions([fine, row])
    with pytest.raises(GuideError) as caught:
        store.exceptions("topic")
    assert one_line(str(caught.value))
    assert str(caught.value).startswith(f"{world.exceptions_file}, row 2: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ["topic: [", "topic: x\nkind: slow\n", "- just words\n", "7"])
def test_an_exceptions_file_that_is_no_list_of_rows_is_refused(world: World, text: str) -> None:
    world.exceptions_file.write_text(text)
    with pytest.raises(GuideError) as caught:
        store.exceptions("topic")
    assert one_line(str(caught.value))
    assert str(caught.value).startswith(str(world.exceptions_file))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"kind": "volatile", "section": "gone", "lines": "x"}, "there is no section gone"),
        ({"kind": "one_side", "section": "one", "framework": "pytorch"}, "section one stands on both sides"),
        ({"kind": "one_side", "framework": "pytorch"}, "the topic stands on both sides"),
        ({"kind": "volatile", "section": "one", "lines": "^x"}, "no line of one matches it"),
        ({"kind": "differs", "value": "gone"}, "no value is called gone"),
        ({"kind": "differs", "value": "one"}, "the two sides agree on one now"),
        ({"kind": "tolerance", "value": "one", "tolerance": 0.1}, "one agrees without it now"),
    ],
)  # fmt: skip
def test_an_exception_row_that_excepts_nothing_is_reported(
    world: World, stored: Path, row: dict, expected: str
) -> None:
    world.exceptions([row])
    (line,) = check._exceptions()
    assert line.startswith("snippets/exceptions/topic.yml, row 1 (")
    assert expected in line
    assert line.endswith("; remove the row")


def test_exceptions_of_a_topic_that_is_gone_are_reported(world: World) -> None:
    world.exceptions([{"kind": "slow", "seconds": 9}], "gone")
    assert list(check._exceptions()) == [
        "snippets/exceptions/gone.yml, row 1 (slow): there is no such topic; remove the row"
    ]


def test_exception_rows_in_use_are_not_reported(world: World) -> None:
    text = {"pytorch": TEXT + section("only", "print(2)"), "mindspore": TEXT}
    snippets = {framework: world.write(text[framework], framework) for framework in text}
    sides = {framework: side(snippet) for framework, snippet in snippets.items()}
    sides["pytorch"].values["close"] = Value(dtype="float64", shape=[], data=[0.5])
    sides["mindspore"].values["close"] = Value(dtype="float64", shape=[], data=[0.501])
    sides["mindspore"].values["one"].data = [2.0]
    rows = [
        {"kind": "slow", "seconds": 9},
        {"kind": "volatile", "section": "one", "lines": "^1$"},
        {"kind": "one_side", "section": "only", "framework": "pytorch"},
        {"kind": "differs", "value": "one"},
        {"kind": "tolerance", "value": "close", "tolerance": 0.1},
    ]
    world.exceptions(rows)
    pair: Pair = run.merge("topic", dict(sides), world.results)
    assert pair.agreement["close"].agrees
    assert list(check._exceptions()) == []
