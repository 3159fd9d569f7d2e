"""Isolated processes forked from a warm parent: started, watched, and ended in time."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import psutil

from tools.project import relative
from tools.snippets import worker
from tools.snippets.source import Snippet

OUTPUT_LIMIT = 64_000
"""Bytes that one section may print: a page that prints more helps nobody."""

CORES = psutil.cpu_count(logical=False) or 1
"""How many snippets run at the same time."""

TIMEOUT = 60.0
"""Seconds that one file may take, unless an exception row of kind `slow` allows more."""


@dataclass(frozen=True)
class Outcome:
    """What came of one execution: the worker's record, or the reason why there is none."""

    snippet: Snippet
    record: dict[str, Any] | None
    failure: str | None


def start_warm_parent() -> multiprocessing.context.ForkServerContext:
    """The context whose children find both frameworks imported. The parent starts with the first child."""
    # Children share the cores: one thread each keeps sums in one order and results the same everywhere.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tools.snippets.warm"])
    return context


def warm_up() -> None:
    """Start the warm parent now, without waiting for it, so that the first snippet need not."""
    start_warm_parent()
    forkserver.ensure_running()


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards, whatever was written into it."""
    folder = Path(tempfile.mkdtemp(prefix="guide-"))
    try:
        (folder / "work").mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Batch:
    """Processes that run at the same time and can be called off together."""

    def __init__(self) -> None:
        self.running: set[Any] = set()
        self.called_off = False

    def call_off(self) -> None:
        """End every process, those that are just being started included."""
        self.called_off = True
        for process in list(self.running):
            _end_group(process)


def execute(snippet: Snippet, timeout: float = TIMEOUT, start: Any = None, batch: Batch | None = None) -> Outcome:
    """Execute one snippet in a process of its own.

    timeout is in seconds. `start` is the multiprocessing context; by default the warm one. Never raises
    for what the snippet does: a failure is part of the outcome.
    """
    batch = batch or Batch()
    context = start or start_warm_parent()
    with scratch() as folder:
        copy = folder / snippet.path.name
        copy.write_text(snippet.text, encoding="utf-8")
        process = context.Process(
            target=worker.execute, args=(str(copy), snippet.framework, snippet.topic, str(folder))
        )
        process.start()
        batch.running.add(process)
        process.join(0 if batch.called_off else timeout)
        timed_out = process.is_alive()
        _end_group(process)
        process.join(10)
        batch.running.discard(process)
        record = _read(folder / worker.OUTCOME)
        failure = _failure(snippet, folder, copy, record, process.exitcode, timeout if timed_out else None)
        return Outcome(snippet, record if failure is None else None, failure)


def execute_all(snippets: list[Snippet], timeouts: dict[str, float] | None = None) -> Iterator[Outcome]:
    """Execute many snippets, one process each, on all cores; outcomes come as they finish.

    Closed early, as on Ctrl+C, it ends the processes that run and starts no more.
    """
    start = start_warm_parent()
    limits = timeouts or {}
    batch = Batch()
    threads = ThreadPoolExecutor(max_workers=CORES)
    try:
        futures = [threads.submit(execute, s, limits.get(s.topic, TIMEOUT), start, batch) for s in snippets]
        for future in as_completed(futures):
            yield future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        batch.call_off()
        threads.shutdown()


def _end_group(process: Any) -> None:
    """End the process, if it still runs, and everything it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()  # nothing left, or it had not yet made its own group


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _failure(
    snippet: Snippet,
    folder: Path,
    copy: Path,
    record: dict[str, Any] | None,
    exitcode: int | None,
    timeout: float | None,
) -> str | None:
    """One line that says what went wrong and where, or None."""
    name = relative(snippet.path)
    section = _text(folder / worker.SECTION)
    where = f"{name}, section {section}" if section else name
    if timeout is not None:
        return f"{where}: still running after {timeout:g} s, stopped"
    if record and record["error"]:
        line = f", line {record['error']['line']}" if record["error"]["line"] else ""
        text = " ".join(record["error"]["text"].split()).replace(str(copy), name)
        if text.startswith(f"{name}:"):
            return text  # a GuideError, which says itself where
        return f"{where}{line}: {text[:400]}"
    if record is None:
        tail = " ".join(_text(folder / "stderr.txt").split())[-200:]
        if exitcode is not None and exitcode < 0:
            return f"{where}: ended by {signal.Signals(-exitcode).name}" + (f" ({tail})" if tail else "")
        return f"{where}: ended with status {exitcode} and no result" + (f" ({tail})" if tail else "")
    for section, output in record["sections"].items():
        if max(len(output["stdout"].encode()), len(output["stderr"].encode())) > OUTPUT_LIMIT:
            return f"{name}, section {section}: printed more than {OUTPUT_LIMIT // 1000} kB"
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
