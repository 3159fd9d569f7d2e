"""The command line: what a person got wrong ends in one line on stderr and status 1, never in a traceback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import SmallRepository, one_line, section

from tools.project import ROOT

GOOD = section("one", "print(1)") + "agree = {'one': 1}\n"
NAMES = ("good", "bad")


@pytest.fixture
def pairs(repository: SmallRepository) -> SmallRepository:
    """A small repository with two pairs, `good` and `bad`; neither has run, and neither is bad yet."""
    for framework in ("pytorch", "mindspore"):
        for name in NAMES:
            repository.write(f"snippets/{framework}/{name}.py", GOOD)
    for language in ("en", "zh"):
        repository.write(f"docs/{language}/index.md", "".join(f'{{{{ twin("{name}.one") }}}}\n' for name in NAMES))
    return repository


def stored(repository: SmallRepository) -> dict[str, set[str]]:
    """Topic -> sides that have a stored result."""
    folder = repository.root / "results" / "snippets"
    return {path.stem: set(json.loads(path.read_text())["sides"]) for path in sorted(folder.glob("*.json"))}


BOTH = {"pytorch", "mindspore"}


DATA = (
    "facts/facts.yml",
    "facts/claims.yml",
    "facts/documentation.yml",
    "facts/questions.yml",
    "tools/measure/workloads.yml",
)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("rows: [")], ids=["missing", "broken"])
def test_a_data_file_that_cannot_be_read_is_named(pairs: SmallRepository, damage: Callable[[Path], object]) -> None:
    assert pairs.tools("run").returncode == 0
    for name in DATA:
        damage(pairs.root / name)
    done = pairs.tools("check")
    assert (done.returncode, done.stdout) == (1, "")
    lines = sorted(done.stderr.splitlines())
    assert [line.split()[:2] for line in lines] == [["error:", name] for name in sorted(DATA)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "nonsense"], "error: no snippet is called nonsense; the topics are: bad, good\n"),
        (["run", "good", "snippets/pytorch/gone.py"], "error: no snippet is called gone; the topics are: bad, good\n"),
        (["measure", "nonsense"], "error: no workload is called nonsense; there are: mnist_cnn\n"),
        (
            ["measure", "mnist_cnn", "--profile", "nonsense"],
            "error: no profile is called nonsense; there are: default, full, smoke\n",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    pairs: SmallRepository, arguments: list[str], expected: str
) -> None:
    shutil.copy(ROOT / "tools" / "measure" / "workloads.yml", pairs.root / "tools" / "measure")
    done = pairs.tools(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
    assert stored(pairs) == {}


def test_a_port_that_is_taken_is_refused_before_anything_is_done(pairs: SmallRepository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = pairs.tools("serve", "--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: port {port} is taken; run: make serve PORT={port + 1}\n"
    assert stored(pairs) == {}


def test_an_address_that_is_not_ours_is_refused(pairs: SmallRepository) -> None:
    done = pairs.tools("serve", "--host", "203.0.113.1", "--port", "8765")
    assert done.returncode == 1
    assert one_line(done.stderr)
    assert done.stderr.startswith("error: port 8765 cannot be used on 203.0.113.1 (")


def test_a_port_that_is_no_port_is_refused(pairs: SmallRepository) -> None:
    done = pairs.tools("serve", "--port", "99999")
    assert (done.returncode, done.stderr) == (1, "error: there is no port 99999; choose one from 1024 to 65535\n")


def test_run_executes_what_is_stale_and_no_more(pairs: SmallRepository) -> None:
    done = pairs.tools("run")
    assert (done.returncode, done.stdout) == (0, "4 executed, 2 topics up to date\n"), done.stderr
    assert stored(pairs) == {"bad": BOTH, "good": BOTH}
    assert pairs.tools("run").stdout == "0 executed, 2 topics up to date\n"
    pairs.write("snippets/pytorch/good.py", GOOD + "# changed\n")
    assert pairs.tools("run").stdout == "1 executed, 2 topics up to date\n"
    assert pairs.tools("run", "snippets/pytorch/good.py", "--force").stdout.startswith("2 executed, 1 topics")


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (section("s", "print(1)\n1 / 0"), ", section s, line 3: ZeroDivisionError: division by zero"),
        (section("s", "import ctypes\nctypes.string_at(0)"), ", section s: ended by SIGSEGV"),
        ("x = = 1\n", ":1: syntax error: invalid syntax"),
        ("x = 1\n# --8<-- [start:s]\n", ":2: section s is never ended"),
    ],
    ids=["raises", "segfaults", "syntax-error", "malformed"],
)
def test_a_snippet_that_begins_to_fail_is_one_line_and_nothing_else_suffers(
    pairs: SmallRepository, bad: str, expected: str
) -> None:
    assert pairs.tools("run", "bad").returncode == 0
    before = (pairs.root / "results" / "snippets" / "bad.json").read_bytes()
    pairs.write("snippets/pytorch/bad.py", bad)
    done = pairs.tools("run")
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.returncode == 1
    assert line == f"error: snippets/pytorch/bad.py{expected}"
    assert done.stderr.endswith(f"{line}\n")
    assert "Traceback" not in done.stderr
    assert stored(pairs) == {"bad": BOTH, "good": BOTH}
    assert (pairs.root / "results" / "snippets" / "bad.json").read_bytes() == before


def test_a_broken_result_is_mended_by_the_command_it_names(pairs: SmallRepository) -> None:
    assert pairs.tools("run").returncode == 0
    path: Path = pairs.root / "results" / "snippets" / "good.json"
    path.write_bytes(path.read_bytes()[:100])
    done = pairs.tools("check")
    assert done.returncode == 1
    assert one_line(done.stderr)
    assert done.stderr.startswith("error: results/snippets/good.json is not a valid result (Invalid JSON: EOF")
    advice = done.stderr.partition("; delete it and run: python -m tools ")[2]
    path.unlink()
    assert pairs.tools(*advice.split()).stdout == "2 executed, 1 topics up to date\n"
    done = pairs.tools("check")
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_keeps_what_was_finished_and_waits_for_nothing(pairs: SmallRepository) -> None:
    """The hanging file would be given a minute; a person who presses Ctrl+C is not kept waiting for it."""
    note = pairs.root / "started"
    hang = f"import time\nfrom pathlib import Path\nPath({str(note)!r}).touch()\ntime.sleep(1000)"
    pairs.write("snippets/pytorch/zzz.py", section("hangs", hang))
    process = pairs.start("run")
    while not (note.exists() and stored(pairs) == {"bad": BOTH, "good": BOTH}):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.endswith("\nstopped; what was finished is stored\n")
    assert "Traceback" not in err
    assert stored(pairs) == {"bad": BOTH, "good": BOTH}
