"""What the runner does with snippets that misbehave: every fault here is a real file, really executed."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import psutil
import pytest
from worlds import World, section

from tools.project import ROOT
from tools.snippets import freshness, pool, run, source, store

FINE = section("fine", 'print("fine")')


def failure(world: World, text: str, framework: str = "pytorch", timeout: float = pool.TIMEOUT) -> str:
    """The line that reports a file's failure, the folder it lies in cut off."""
    outcome = world.execute(text, framework, timeout)
    assert outcome.record is None
    assert outcome.failure is not None
    assert "\n" not in outcome.failure
    return outcome.failure.replace(f"{world.snippets}/", "")


def sections(outcome: pool.Outcome) -> dict[str, dict]:
    """What the sections printed; the execution must have succeeded."""
    assert outcome.failure is None
    assert outcome.record is not None
    return outcome.record["sections"]


def gone(pid: int) -> bool:
    """Whether a process has ended, waiting a little for the kernel to clear it away."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.1)
    return False


# Files that fail


@pytest.mark.parametrize("framework", ["pytorch", "mindspore"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def half(x):\n    return x / 0\nhalf(1)", "line 6: ZeroDivisionError: division by zero"),
        ("import json\njson.loads('{')", "line 6: json.decoder.JSONDecodeError: Expecting property name"),
        ("raise ValueError('first line\\nsecond line')", "line 5: ValueError: first line second line"),
        ("import sys\nsys.exit(3)", "line 6: SystemExit: 3"),
        ("import os\nos._exit(3)", ": ended with status 3 and no result"),
        ("import os\nos.abort()", ": ended by SIGABRT"),
        ("import ctypes\nctypes.string_at(0)", ": ended by SIGSEGV"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", ": ended by SIGKILL"),
    ],
    ids=[
        "raises",
        "raises-elsewhere",
        "two-lines",
        "sys.exit",
        "os._exit",
        "aborts",
        "segfaults",
        "is-killed",
    ],
)
def test_a_failure_names_file_section_line_and_error(world: World, framework: str, body: str, expected: str) -> None:
    found = failure(world, FINE + section("faulty", body), framework)
    assert found.startswith(f"{framework}/topic.py, section faulty")
    assert expected in found


def test_a_syntax_error_is_reported_with_its_line(world: World) -> None:
    assert failure(world, FINE + "\nx = = 1\n") == "pytorch/topic.py:5: syntax error: invalid syntax"


def test_a_malformed_section_is_reported_with_its_line(world: World) -> None:
    assert failure(world, FINE + FINE) == "pytorch/topic.py:4: section fine is there twice"


def test_a_snippet_that_hangs_is_ended_with_everything_it_started(world: World) -> None:
    note = world.root / "grandchild"
    body = f"""
        import subprocess, time
        from pathlib import Path
        Path({str(note)!r}).write_text(str(subprocess.Popen(["sleep", "1000"]).pid))
        time.sleep(1000)
    """
    found = failure(world, FINE + section("hangs", body), timeout=3)
    assert found == "pytorch/topic.py, section hangs: still running after 3 s, stopped"
    assert gone(int(note.read_text()))


def test_a_hang_inside_c_is_ended_too(world: World) -> None:
    """A deadlock with the interpreter lock held: no handler of Python's can run, only SIGKILL ends this."""
    note = world.root / "pid"
    body = f"""
        import ctypes, os
        from pathlib import Path
        Path({str(note)!r}).write_text(str(os.getpid()))
        mutex = ctypes.create_string_buffer(128)
        ctypes.CDLL(None).pthread_mutex_init(mutex, None)
        for _ in range(2):
            ctypes.PyDLL(None).pthread_mutex_lock(mutex)
    """
    found = failure(world, section("hangs", body), timeout=3)
    assert found == "pytorch/topic.py, section hangs: still running after 3 s, stopped"
    assert gone(int(note.read_text()))


def test_what_a_finished_snippet_left_running_is_ended(world: World) -> None:
    outcome = world.execute(section("leaves", 'import subprocess\nprint(subprocess.Popen(["sleep", "1000"]).pid)'))
    assert gone(int(sections(outcome)["leaves"]["stdout"]))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_megabyte_of_output_is_refused(world: World, stream: str) -> None:
    body = f"import sys\nfor _ in range(1000):\n    print('x' * 1000, file=sys.{stream})"
    expected = "pytorch/topic.py, section floods: printed more than 64 kB"
    assert failure(world, FINE + section("floods", body)) == expected


@pytest.mark.parametrize(
    ("agree", "expected"),
    [
        ("{'big': np.zeros(20_001)}", "ValueError: agree['big'] has 20001 elements; declare at most 20000"),
        ("{'odd': object()}", "TypeError: agree['odd'] has dtype object, which cannot be compared"),
        ("{'complex': 1j}", "TypeError: agree['complex'] has dtype complex128, which cannot be compared"),
    ],
)
def test_values_that_cannot_be_kept_are_refused_by_name(world: World, agree: str, expected: str) -> None:
    found = failure(world, f"import numpy as np\n{FINE}agree = {agree}\n")
    assert found == f"pytorch/topic.py, section agree: {expected}"


# Files that work


def test_what_a_snippet_writes_is_gone_with_it(world: World) -> None:
    """Neither the working folder nor the folder of __file__ is one that anybody keeps."""
    body = """
        import os
        from pathlib import Path
        Path("guide-test-leftover.txt").write_text("in the working folder")
        Path(__file__).with_name("guide-test-leftover.txt").write_text("beside the file")
        print(os.getcwd())
        print(Path(__file__).parent)
    """
    outcome = world.execute(section("writes", body))
    work, beside = map(Path, sections(outcome)["writes"]["stdout"].splitlines())
    assert not work.exists()
    assert not beside.exists()
    assert [path.name for path in (world.snippets / "pytorch").iterdir()] == ["topic.py"]
    assert not list(ROOT.glob("guide-test-leftover.txt"))
    assert not list((ROOT / "snippets").rglob("guide-test-leftover.txt"))


def test_a_snippet_cannot_change_its_own_file(world: World) -> None:
    text = section("writes", "from pathlib import Path\nPath(__file__).write_text('')")
    outcome = world.execute(text)
    assert outcome.failure is None
    assert outcome.snippet.path.read_text() == text


def test_each_section_gets_what_was_printed_in_it(world: World) -> None:
    """Printing through C has buffers of its own: what stays in them would come late, or a section too late."""
    text = (
        "import ctypes\nimport os\nimport sys\nlibc = ctypes.CDLL(None)\nprint('outside')\n"
        + section("one", "print(1)\nlibc.puts(b'2, C')\nprint(3)\nprint('one, err', file=sys.stderr)")
        + section("silent", "x = 1")
        + section("two", "libc.printf(b'two, C, no newline')\nos.write(2, b'two, err\\n')")
        + section("unfinished", "print('no newline', end='')\nsys.stdout.write(' 你好')")
    )
    found = sections(world.execute(text))
    assert {name: (output["stdout"], output["stderr"]) for name, output in found.items()} == {
        "one": ("1\n2, C\n3\n", "one, err\n"),
        "silent": ("", ""),
        "two": ("two, C, no newline", "two, err\n"),
        "unfinished": ("no newline 你好", ""),
    }


def test_warnings_are_kept_apart_from_output(world: World) -> None:
    outcome = world.execute(section("warns", "import warnings\nwarnings.warn('careful')\nprint('done')"))
    output = sections(outcome)["warns"]
    assert output["stdout"] == "done\n"
    assert "UserWarning: careful" in output["stderr"]


def test_a_snippet_is_the_main_program_and_its_source_can_be_read(world: World) -> None:
    """inspect.getsource, pickle and dataclasses look the running program up by name and file."""
    body = """
        import inspect, pickle, sys
        class Point:
            pass
        print(__name__, len(sys.argv))
        print(inspect.getsource(Point).splitlines()[0])
        print(type(pickle.loads(pickle.dumps(Point()))) is Point)
    """
    output = sections(world.execute(section("main", body)))["main"]
    assert output["stdout"] == "__main__ 1\nclass Point:\nTrue\n"


MINDSPORE_OPERATOR = "import mindspore\nfrom mindspore import ops\n" + section(
    "adds", "print(ops.add(mindspore.Tensor([1.0, 2.0]), 1.0))"
)


def test_mindspore_operators_work_in_every_child(world: World) -> None:
    """A process forked after a MindSpore operator hangs: one child must not spoil the parent for the next."""
    snippets = [world.write(MINDSPORE_OPERATOR, "mindspore", f"adds_{n}") for n in range(4)]
    outcomes = [pool.execute(snippets[0], timeout=30), *pool.execute_all(snippets[1:])]
    assert [sections(outcome)["adds"]["stdout"] for outcome in outcomes] == ["[2. 3.]\n"] * 4


def test_children_share_no_state(world: World) -> None:
    body = "import torch\nprint(hasattr(torch, 'left_behind'))\ntorch.left_behind = 1"
    for _ in range(2):
        assert sections(world.execute(section("marks", body)))["marks"]["stdout"] == "False\n"


def test_values_of_both_frameworks_are_kept_with_shape_and_kind(world: World) -> None:
    common = ["'number': 0.5, 'count': 3, 'flag': True, 'name': '名'", "'strings': ['a', 'bc'], 'none': []"]
    for framework, tensor in (
        ("pytorch", "torch.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)"),
        ("mindspore", "mindspore.Tensor([[1.0, 2.0], [3.0, 4.5]])"),
    ):
        module = tensor.partition(".")[0]
        text = f"import {module}\n{FINE}agree = {{'tensor': {tensor}, {', '.join(common)}}}\n"
        assert not world.run(world.write(text, framework))
    pair = world.pair()
    for side in pair.sides.values():
        kept = {name: (value.shape, value.data) for name, value in side.values.items()}
        assert kept == {
            "tensor": ([2, 2], [1.0, 2.0, 3.0, 4.5]),
            "number": ([], [0.5]),
            "count": ([], [3]),
            "flag": ([], [True]),
            "name": ([], ["名"]),
            "strings": ([2], ["a", "bc"]),
            "none": ([0], []),
        }
        assert side.values["tensor"].dtype == "float32"
    assert all(found.agrees for found in pair.agreement.values())


def test_values_that_are_not_finite_are_stored_and_read_back(world: World) -> None:
    for framework in ("pytorch", "mindspore"):
        text = FINE + "agree = {'odd': [float('nan'), float('inf'), -float('inf'), 1.0]}\n"
        assert not world.run(world.write(text, framework))
    pair = world.pair()
    assert pair.sides["pytorch"].values["odd"].data == ["nan", "inf", "-inf", 1.0]
    assert pair.agreement["odd"].agrees


# Many files at once


def test_failures_neither_lose_nor_change_what_others_measured(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file of a topic begins to fail in every way: all else is stored, and its own last result stays."""
    good = [world.write(FINE, framework, "good") for framework in ("pytorch", "mindspore")]
    before = [world.write(FINE, framework, "turns_bad") for framework in ("pytorch", "mindspore")]
    assert world.run(*good, *before) == []
    stored, untouched = world.pair("turns_bad"), store.path_of("good", world.results).read_bytes()

    monkeypatch.setattr(pool, "TIMEOUT", 5.0)
    bad = {
        "raises": world.write(section("s", "raise KeyError(1)"), "pytorch", "turns_bad"),
        "segfaults": world.write(section("s", "import ctypes\nctypes.string_at(0)"), "pytorch", "segfaults"),
        "hangs": world.write(section("s", "import time\ntime.sleep(1000)"), "mindspore", "hangs"),
    }
    new = [world.write(FINE, framework, "new") for framework in ("pytorch", "mindspore")]
    failures = world.run(*bad.values(), *new)

    assert len(failures) == 3
    for snippet, end in zip(bad.values(), ("KeyError: 1", "SIGSEGV", "stopped"), strict=True):
        assert [f for f in failures if f.startswith(str(snippet.path)) and f.endswith(end)]
    assert world.pair("turns_bad") == stored
    assert store.path_of("good", world.results).read_bytes() == untouched
    assert set(world.pair("new").sides) == {"pytorch", "mindspore"}
    assert sorted(p.stem for p in world.results.iterdir()) == ["good", "new", "turns_bad"]
    stale = freshness.stale(source.topics(), world.results)
    assert sorted(s.path for s in stale) == sorted(s.path for s in bad.values())


def test_a_file_saved_while_it_ran_is_stale_afterwards(world: World) -> None:
    """`make serve`: the result of the earlier text must not stand for the later one."""
    path = world.write("").path
    text = section("saves", f"from pathlib import Path\nPath({str(path)!r}).write_text('x = 1')")
    assert world.run(world.write(text)) == []
    assert [snippet.text for snippet in freshness.stale(["topic"], world.results)] == ["x = 1"]


def test_stopping_early_ends_what_runs_and_starts_no_more(world: World) -> None:
    """Ctrl+C during a long list of files must not wait for the rest of the list."""
    note = world.root / "pids"
    body = f"import os, time\nprint(os.getpid(), file=open({str(note)!r}, 'a'))\ntime.sleep(1000)"
    slow = [world.write(section("slow", body), "pytorch", f"slow_{n}") for n in range(6)]
    outcomes = pool.execute_all([world.write(FINE, "pytorch", "quick"), *slow])
    assert next(outcomes).failure is None
    while not note.exists() or not note.read_text().endswith("\n"):
        time.sleep(0.05)
    closing = threading.Thread(target=outcomes.close)
    closing.start()
    closing.join(30)  # half of what one of these files may take
    assert not closing.is_alive()
    started = [int(pid) for pid in re.findall(r"\d+", note.read_text())]
    assert 1 <= len(started) < len(slow)
    assert all(gone(pid) for pid in started)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ERROR] ME(812:7f41,MainProcess):2026-12-01-03:06:43.308.000 [a.py:1] text", "[ERROR] ME [a.py:1] text"),
        ("W1201 04:49:25.188000 3554 torch/x.py:107] text", "W torch/x.py:107] text"),
        ("USDT:2026-12-01 04:49:25 3554:3554 text", "USDT: text"),
        ("value_ptr: 0x558095648ae0, value: 3", "value_ptr: 0x…, value: 3"),
        ("/home/me/.venv/lib/python3.11/site-packages/torch/x.py:5: text", "torch/x.py:5: text"),
        ("In file /scratch/guide-ab1/" + "work/late.py:3", "In file late.py:3"),
        (f"{ROOT}/tools/snippets/worker.py(81): _run", "tools/snippets/worker.py(81): _run"),
        ("nothing to tidy: 0x1F, 12:30, 2026-12-01", "nothing to tidy: 0x1F, 12:30, 2026-12-01"),
    ],
)
def test_log_lines_are_stored_without_what_changes(line: str, expected: str) -> None:
    assert run.tidy_log(line) == expected
