"""Runs in a fresh interpreter: `python -m tools.measure.worker REQUEST ANSWER`.

Contract of a workload file: a class Workload whose constructor takes the variant's options, with
start() (load the common start weights), parameters() (name -> array), batches(epoch) (iterable of
argument tuples), step(*batch) (one training step, returns the loss) and evaluate() (share of right
answers). Every variant starts from the same weights and sees the same batches.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil

CHECKED_STEPS = 5


def array(value: Any) -> np.ndarray:
    """A tensor of either framework as a NumPy array."""
    if hasattr(value, "asnumpy"):
        return np.asarray(value.asnumpy())
    if hasattr(value, "detach"):
        return np.asarray(value.detach().numpy())
    return np.asarray(value)


def build(request: dict[str, Any]) -> tuple[Any, float, float, int]:
    """The workload at its start weights, import and build seconds, and resident bytes after import."""
    started = time.perf_counter()
    importlib.import_module(request["distribution"])
    imported = time.perf_counter()
    resident = psutil.Process().memory_info().rss
    _forget_peak()
    module = importlib.import_module(request["module"])
    building = time.perf_counter()
    workload = module.Workload(**request["options"])
    workload.start()
    return workload, imported - started, time.perf_counter() - building, resident


def check(request: dict[str, Any], answer: Path) -> None:
    """Write what sameness is judged by: start parameters, first batches, first losses (NumPy arrays)."""
    workload, *_ = build(request)
    found = {f"parameter.{n}": array(v).copy() for n, v in workload.parameters().items()}
    for index, batch in enumerate(workload.batches(0)):
        if index == CHECKED_STEPS:
            break
        found |= {f"batch.{index}.{part}": array(v) for part, v in enumerate(batch)}
        found[f"loss.{index}"] = array(workload.step(*batch))
    with open(answer, "wb") as stream:
        np.savez(stream, **found)


def measure(request: dict[str, Any], answer: Path) -> None:
    """Train for the epochs asked for and write what it took, as JSON."""
    workload, import_seconds, build_seconds, resident = build(request)
    epochs, data, losses, first_step = [], [], [], 0.0
    for epoch in range(request["epochs"]):
        started = time.perf_counter()
        waited, loss = 0.0, None
        for index, (batch, wait) in enumerate(_waited(workload.batches(epoch))):
            if index == request["steps"]:
                break
            waited += wait
            loss = workload.step(*batch)
            if epoch == 0 and index == 0:
                array(loss)  # eager MindSpore returns before the work is done: ask for the number
                first_step = time.perf_counter() - started
        losses.append(float(array(loss)))
        epochs.append(time.perf_counter() - started)
        data.append(waited)
    sample = {
        "import_seconds": import_seconds,
        "build_seconds": build_seconds,
        "first_step_seconds": first_step,
        "epoch_seconds": epochs,
        "data_seconds": data,
        "losses": losses,
        "accuracy": workload.evaluate(),
        "memory_after_import": resident,
        "memory_peak": _peak(),
    }
    answer.write_text(json.dumps(sample), encoding="utf-8")


def _waited(batches: Any) -> Iterator[tuple[Any, float]]:
    """Each batch with the seconds it took to arrive."""
    iterator = iter(batches)
    while True:
        started = time.perf_counter()
        try:
            batch = next(iterator)
        except StopIteration:
            return
        yield batch, time.perf_counter() - started


def _forget_peak() -> None:
    """Start the kernel's record of the peak anew (Linux), so that the import does not count."""
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")


def _peak() -> int:
    """Peak resident bytes of this process since the import."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    {"check": check, "measure": measure}[asked["task"]](asked, Path(sys.argv[2]))
    sys.stdout.flush()
    sys.stderr.flush()
