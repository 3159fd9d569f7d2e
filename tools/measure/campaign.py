"""One measurement of one workload: checked first, interleaved, stored after every run, resumable."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from tools.measure import machine, statistics
from tools.measure.archive import folder_of, load_all, workload_digest
from tools.measure.schema import Campaign, Sameness, Sample, Spec, Variant, spec
from tools.project import FRAMEWORKS, ROOT, GuideError, first_problem, now, relative, save_json

TIMEOUT = 1800.0
"""Seconds that one process may take."""


def run(workload: str, profile: str, console: Console | None = None) -> tuple[Path, Campaign]:
    """Measure a workload, going on with an unfinished campaign of the same code on this machine.

    Every finished process is stored before the next one starts. Raises GuideError where two variants do
    not do the same work (then no time is taken), or where a process fails.
    """
    console = console or Console(stderr=True)
    path, campaign = _open(workload, profile)
    todo = _todo(campaign)
    if campaign.samples:
        console.print(f"{workload}: going on with {len(campaign.samples)} stored samples, {len(todo)} to go")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        unchecked = [v for v in campaign.variants if v.id not in campaign.sameness]
        task = progress.add_task(f"{workload}", total=len(unchecked) + len(todo))
        if unchecked:
            for variant, sameness in _check(campaign, spec(workload)):
                progress.update(task, description=f"{workload}: {variant} does the same work")
                campaign.sameness[variant] = sameness
                progress.advance(task, variant in {v.id for v in unchecked})
            save_json(path, campaign)
        for index, variant in todo:
            progress.update(task, description=f"{workload}: run {index + 1} of {variant.id}")
            campaign.samples.append(_sample(campaign, variant, index))
            save_json(path, campaign)
            progress.advance(task)
    campaign.finished = now()
    save_json(path, campaign)
    return path, campaign


def _open(workload: str, profile: str) -> tuple[Path, Campaign]:
    wanted, here = spec(workload), machine.describe()
    if profile not in wanted.profiles:
        raise GuideError(f"no profile is called {profile}; there are: {', '.join(wanted.profiles)}")
    versions = {name: version(name) for name in (*FRAMEWORKS.values(), "numpy")}
    current = workload_digest(workload)
    for path, campaign in reversed(load_all(workload, profile)):
        same = (campaign.digest, campaign.versions, campaign.machine.id) == (current, versions, here.id)
        if same and campaign.profile == profile and not campaign.finished:
            return path, campaign
    started = now()
    campaign = Campaign(
        workload=workload,
        profile=profile,  # type: ignore[arg-type]
        digest=current,
        started=started,
        machine=here,
        versions=versions,
        threads=wanted.threads,
        settings=wanted.profiles[profile],  # type: ignore[index]
        baseline=wanted.baseline,
        again=wanted.again,
        variants=wanted.variants,
    )
    stamp = started.replace("-", "").replace(":", "")
    return folder_of(workload, profile) / f"{stamp}-{here.id}.json", campaign


def _todo(campaign: Campaign) -> list[tuple[int, Variant]]:
    """What is left, interleaved: every variant once, then every variant again."""
    done = {(s.run, s.variant) for s in campaign.samples}
    pairs = [(index, v) for index in range(campaign.settings.runs) for v in campaign.variants]
    return [(index, v) for index, v in pairs if (index, v.id) not in done]


def _check(campaign: Campaign, wanted: Spec) -> Iterator[tuple[str, Sameness]]:
    """Compare every variant with the baseline. Raises GuideError at the first that does other work."""
    order = sorted(campaign.variants, key=lambda v: v.id != campaign.baseline)
    reference: dict[str, np.ndarray] = {}
    for variant in order:
        with _child(campaign, variant, {"task": "check"}) as (answer, _):
            found = dict(np.load(answer))
        reference = reference or found
        sameness = compare(reference, found, variant.id)
        apart = [
            sameness.largest_parameter_difference,
            sameness.largest_batch_difference,
            sameness.largest_loss_difference,
        ]
        worst = float(np.max(apart))  # unlike max(), passes a not-a-number on
        if not worst <= wanted.loss_tolerance:
            raise GuideError(
                f"{campaign.workload}: {variant.id} does other work than {campaign.baseline}: "
                f"they differ by {worst:.3g} (parameters, batches or losses); no time was taken"
            )
        yield variant.id, sameness


def compare(reference: dict[str, np.ndarray], found: dict[str, np.ndarray], name: str) -> Sameness:
    """Largest differences of start parameters, batches and losses between a variant and the baseline.

    Raises GuideError where names or shapes differ.
    """
    if {k: v.shape for k, v in reference.items()} != {k: v.shape for k, v in found.items()}:
        other = sorted(set(reference) ^ set(found)) or [k for k in found if found[k].shape != reference[k].shape]
        raise GuideError(f"{name} does other work than the baseline: {other[0]} is not the same in both")

    def apart(kind: str) -> float:
        pairs = [(reference[k], found[k]) for k in found if k.startswith(f"{kind}.")]
        if not pairs:
            raise GuideError(f"{name} has no {kind} to compare")
        return float(np.max([np.max(np.abs(a.astype(np.float64) - b.astype(np.float64))) for a, b in pairs]))

    return Sameness(
        parameters=sum(v.size for k, v in found.items() if k.startswith("parameter.")),
        largest_parameter_difference=apart("parameter"),
        largest_batch_difference=apart("batch"),
        largest_loss_difference=apart("loss"),
    )


def _sample(campaign: Campaign, variant: Variant, index: int) -> Sample:
    request = {"task": "measure", "epochs": campaign.settings.epochs, "steps": campaign.settings.steps}
    started = now()
    with _child(campaign, variant, request) as (answer, wall):
        found = json.loads(answer.read_text(encoding="utf-8"))
    try:
        return Sample(variant=variant.id, run=index, started=started, wall_seconds=wall, **found)
    except ValidationError as error:
        raise GuideError(f"{campaign.workload}, {variant.id}: measured nonsense: {first_problem(error)}") from None


@contextmanager
def _child(campaign: Campaign, variant: Variant, request: dict[str, Any]) -> Iterator[tuple[Path, float]]:
    """Run the worker for one variant in a fresh process; gives its answer file and its wall seconds.

    Raises GuideError, with the end of what it printed, where it fails.
    """
    folder = Path(tempfile.mkdtemp(prefix="guide-bench-"))
    try:
        asked = folder / "request.json"
        answer = folder / "answer.json"
        asked.write_text(json.dumps(request | {
            "distribution": FRAMEWORKS[variant.framework],
            "module": f"snippets.{variant.framework}.bench.{campaign.workload}",
            "options": variant.options,
        }))  # fmt: skip
        environment = os.environ | {
            "OMP_NUM_THREADS": str(campaign.threads),
            "MKL_NUM_THREADS": str(campaign.threads),
            "PYTHONPATH": str(ROOT),
            # A compiler's cache from an earlier run would make the first call look cheap.
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
            "TMPDIR": os.environ.get("TMPDIR", tempfile.gettempdir()),
        } | variant.env  # fmt: skip
        command = [sys.executable, "-m", "tools.measure.worker", str(asked), str(answer)]
        if shutil.which("taskset"):
            # The first of the cores that this process may use: in a container these need not begin with 0.
            cores = sorted(os.sched_getaffinity(0))[: campaign.threads]
            command = ["taskset", "--cpu-list", ",".join(map(str, cores)), *command]
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise GuideError(f"{campaign.workload}, {variant.id}: still running after {TIMEOUT:g} s") from None
        if done.returncode:
            raise GuideError(f"{campaign.workload}, {variant.id}: {_why(done)}")
        if not answer.exists():
            raise GuideError(f"{campaign.workload}, {variant.id}: ended before it had measured anything")
        yield answer, time.perf_counter() - started
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _why(done: subprocess.CompletedProcess[str]) -> str:
    """What ended a process, on one line: a signal, an exception and where it rose, or the end of its output."""
    printed = done.stderr.strip() or done.stdout.strip()
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}: {' '.join(printed.split())[-300:]}"
    if places := re.findall(r'^  File "(.+)", line (\d+)', printed, re.MULTILINE):
        path, line = places[-1]
        # What a traceback ends with: the lines after the last indented one.
        error = re.split(r"^ .*\n", printed, flags=re.MULTILINE)[-1]
        return f"{relative(Path(path))}, line {line}: {' '.join(error.split())[:300]}"
    return f"ended with status {done.returncode}: {' '.join(printed.split())[-300:]}"


def costs(campaign: Campaign) -> Table:
    """Where the measurement stands: for each variant its runs, its median epoch, and what it cost."""
    table = Table(title=f"{campaign.workload} ({campaign.profile})")
    for column in ("variant", "runs", "epoch, s", "ratio", "cost, s"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for variant in campaign.variants:
        samples = campaign.of(variant.id)
        if not samples:
            table.add_row(variant.id, "0", "", "", "")
            continue
        median = statistics.spread(campaign, variant.id, "epoch_seconds").median
        ratio = statistics.ratio(campaign, variant.id, "epoch_seconds") if campaign.of(campaign.baseline) else None
        table.add_row(
            variant.id,
            f"{len(samples)}/{campaign.settings.runs}",
            f"{median:.3f}",
            f"{ratio.ratio:.2f}" if ratio else "",
            f"{sum(s.wall_seconds for s in samples):.0f}",
        )
    return table
