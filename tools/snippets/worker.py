"""Runs inside the child process: executes one snippet and writes down what it did.

Everything is written to files in the scratch folder as it happens, so that a child that is killed
leaves behind what it had done.
"""

from __future__ import annotations

import ast
import ctypes
import json
import linecache
import math
import os
import platform
import sys
import time
import traceback
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tools.project import FRAMEWORKS, GuideError
from tools.snippets.source import Snippet

OUTCOME = "outcome.json"
SECTION = "section.txt"
VALUES_LIMIT = 20_000


def execute(source: str, framework: str, topic: str, scratch: str) -> None:
    """Execute a copy of the snippet at `source` in the folder `scratch`.

    The copy means that what a snippet writes, even beside itself, never reaches the repository.
    Leaves stdout.txt, stderr.txt, section.txt (the section under way) and outcome.json there.
    """
    os.setsid()  # a group of its own, so that a timeout ends grandchildren too
    folder = Path(scratch)
    for number, name in ((1, "stdout.txt"), (2, "stderr.txt")):
        os.dup2(os.open(folder / name, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644), number)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    _print_c_lines_at_once()
    work = folder / "work"
    os.chdir(work)

    started = time.perf_counter()
    outcome: dict[str, Any] = {"sections": {}, "values": {}, "error": None}
    copy = Path(source)
    try:
        _run(Snippet(copy, framework, topic), folder, outcome)
    except BaseException as error:  # whatever a snippet raises, SystemExit included, is its result
        outcome["error"] = _describe(error, copy)
        traceback.print_exc()
    _flush()
    outcome |= {
        "seconds": time.perf_counter() - started,
        "version": version(FRAMEWORKS[framework]),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }
    (folder / OUTCOME).write_text(json.dumps(outcome), encoding="utf-8")
    # Interpreter shutdown is the framework's business and was seen to hang; the work is done.
    os._exit(0 if outcome["error"] is None else 1)


def _run(snippet: Snippet, folder: Path, outcome: dict[str, Any]) -> None:
    # __main__ with a real __file__: inspect.getsource, pickle and spawned helpers behave as in `python FILE`.
    module = types.ModuleType("__main__")
    module.__file__ = str(snippet.path)
    sys.modules["__main__"] = module
    sys.argv = [str(snippet.path)]
    sys.path.insert(0, str(snippet.path.parent))
    linecache.checkcache(str(snippet.path))
    for name, statements in snippet.segments:
        (folder / SECTION).write_text(name or "", encoding="utf-8")
        out, err = _position(folder, "stdout.txt"), _position(folder, "stderr.txt")
        started = time.perf_counter()
        code = compile(ast.Module(statements, []), str(snippet.path), "exec", dont_inherit=True)
        exec(code, module.__dict__)
        _flush()
        if name:
            outcome["sections"][name] = {
                "stdout": _since(folder, "stdout.txt", out),
                "stderr": _since(folder, "stderr.txt", err),
                "seconds": time.perf_counter() - started,
            }
    (folder / SECTION).write_text("agree", encoding="utf-8")
    for name, value in getattr(module, "agree", {}).items():
        outcome["values"][name] = _value(name, value)


def _print_c_lines_at_once() -> None:
    """Line buffers for C's stdout as for Python's, so that what both print stays in order."""
    name = "__stdoutp" if sys.platform == "darwin" else "stdout"
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, name), None, 1, 0)  # 1 is _IOLBF


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)  # C++ code prints through C's own buffers


def _position(folder: Path, name: str) -> int:
    return (folder / name).stat().st_size


def _since(folder: Path, name: str, position: int) -> str:
    with open(folder / name, "rb") as stream:
        stream.seek(position)
        return stream.read(1_000_001).decode("utf-8", "replace")


def _value(name: str, value: Any) -> dict[str, Any]:
    """A declared value as JSON. Accepts arrays, tensors of either framework, numbers, strings, lists."""
    import numpy as np

    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    elif hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "biufUS":
        raise TypeError(f"agree[{name!r}] has dtype {array.dtype}, which cannot be compared")
    if array.size > VALUES_LIMIT:
        raise ValueError(f"agree[{name!r}] has {array.size} elements; declare at most {VALUES_LIMIT}")
    data = [x if not isinstance(x, float) or math.isfinite(x) else repr(x) for x in array.ravel().tolist()]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def _describe(error: BaseException, copy: Path) -> dict[str, Any]:
    if isinstance(error, GuideError):
        return {"line": None, "text": str(error)}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(copy)]
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"line": frames[-1].lineno if frames else None, "text": text}
