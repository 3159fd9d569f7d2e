"""How pytest-codeblocks executes the tracks of tools.site.blocks: `-p tests.blocks_plugin --codeblocks TRACKS`.

By itself it runs Python blocks inside pytest. A block that crashes would end the whole run, and one
MindSpore program would find the state that another left behind. So each block runs in a process of its
own, forked from the warm parent that also runs the snippets, and what it prints is captured at the level
of file descriptors. Pages of both languages show the same code: a text that occurs several times runs once,
and its output is compared with what each page shows. Shell blocks run in the root of the repository.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from pytest_codeblocks.plugin import TestBlock

from tools.project import ROOT
from tools.snippets import pool, store
from tools.snippets.source import Snippet

VOLATILE = re.compile(r"^<!-- volatile: (.+) -->$", re.MULTILINE)
SLOW = 2 * max([pool.TIMEOUT, *store.timeouts().values()])
"""Seconds that one block may take: a page may join all sections of a file, and other tests run beside it."""


def execute_python(code: str, file: Path) -> str:
    """What the code prints in a process of its own. Raises RuntimeError where it fails or crashes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# --8<-- [start:page]\n{code}# --8<-- [end:page]\n", encoding="utf-8")
    outcome = pool.execute(Snippet(file, "pytorch", file.stem), timeout=SLOW)
    if outcome.record is None:
        failure = (outcome.failure or "").replace(f"{file}, section page", "the block")
        line = re.search(r"line (\d+)", failure)
        shown = f"\n    {code.splitlines()[int(line[1]) - 2].strip()}" if line else ""
        raise RuntimeError(failure + shown)
    return outcome.record["sections"]["page"]["stdout"]


def execute_shell(code: str, shell: str) -> str:
    """What the commands print in the root of the repository. Raises RuntimeError where they fail."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-e", "-c", code],
        cwd=ROOT,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SLOW,
    )
    if done.returncode:
        raise RuntimeError(f"the commands ended with status {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def difference(expected: str, printed: str, volatile: list[str]) -> str:
    """How the output differs from what the page shows, blank and volatile lines apart; empty if it does not."""
    sides = [
        [line for line in text.splitlines() if line.strip() and not any(re.search(p, line) for p in volatile)]
        for text in (expected, printed)
    ]
    return "\n".join(difflib.unified_diff(*sides, "the page shows", "the block printed", lineterm=""))


def runtest(item: TestBlock) -> None:
    """Stands in for TestBlock.runtest."""
    block = item.obj
    printed = item.config.stash[EXECUTIONS][block.syntax, block.code].result()
    if block.expected_output is not None:
        volatile = VOLATILE.findall(item.path.read_text(encoding="utf-8"))
        if differs := difference(block.expected_output, printed, volatile):
            raise RuntimeError(differs)


TestBlock.runtest = runtest
EXECUTIONS = pytest.StashKey[dict[tuple[str, str], Future]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Execute the collected blocks on all cores while pytest goes through them one by one."""
    blocks = [item for item in session.items if isinstance(item, TestBlock)]
    if session.config.option.collectonly:
        return (yield)
    threads = ThreadPoolExecutor(os.cpu_count())
    with tempfile.TemporaryDirectory(prefix="guide-blocks-") as folder:
        started = session.config.stash[EXECUTIONS] = {}
        for number, block in enumerate(item.obj for item in blocks):
            key = block.syntax, block.code
            if key in started:
                continue
            if block.syntax == "python":
                started[key] = threads.submit(execute_python, block.code, Path(folder) / f"block{number}.py")
            else:
                started[key] = threads.submit(execute_shell, block.code, block.syntax)
        try:
            return (yield)
        finally:
            threads.shutdown(cancel_futures=True)
