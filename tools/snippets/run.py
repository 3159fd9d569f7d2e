"""Running snippets, and storing what came of it."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tools.project import FRAMEWORKS, ROOT, GuideError, now, relative
from tools.snippets import compare, pool, source, store
from tools.snippets.source import Snippet
from tools.snippets.store import FOLDER, Pair, Side

PROCESS = re.compile(r"\((?:\d+|pid)[^)]*\):\d{4}-\d\d-\d\d-[\d:.]+ ?")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
TORCH_LOG = re.compile(r"^([DIWEF])\d{4} [\d:.]+ \d+ ", re.MULTILINE)
PROFILER = re.compile(r"^USDT:\d{4}-\d\d-\d\d [\d:]+ \d+:\d+ ", re.MULTILINE)
FOLDER_OF_MACHINE = re.compile(r"[^\s'\"]*/(?:guide-[^/\s]+/(?:work/)?|lib/python3[.]\d+/(?:site-packages/)?)")


def tidy_log(text: str) -> str:
    """Log lines without what changes at every run or on every machine: process ids, times, addresses, folders."""
    text = TORCH_LOG.sub(r"\1 ", PROFILER.sub("USDT: ", PROCESS.sub(" ", text)))
    return FOLDER_OF_MACHINE.sub("", ADDRESS.sub("0x…", text)).replace(f"{ROOT}/", "")


def side(outcome: pool.Outcome) -> Side:
    """A successful execution as it is stored."""
    record = outcome.record or {}
    return Side(
        digest=outcome.snippet.digest,
        version=record["version"],
        numpy=record["numpy"],
        python=record["python"],
        executed=now(),
        seconds=round(record["seconds"], 3),
        sections={
            name: store.Output(
                stdout=output["stdout"], stderr=tidy_log(output["stderr"]), seconds=round(output["seconds"], 3)
            )
            for name, output in record["sections"].items()
        },
        values={name: store.Value(**value) for name, value in record["values"].items()},
    )


def merge(topic: str, new: dict[str, Side], folder: Path = FOLDER) -> Pair:
    """Put new executions into a topic's document, compare the sides again, and store it."""
    try:
        pair = store.load(topic, folder) or Pair(topic=topic, sides={})
    except GuideError:
        pair = Pair(topic=topic, sides={})
    present = {f: s for f, s in (pair.sides | new).items() if source.snippet(f, topic)}
    pair = Pair(topic=topic, sides={f: present[f] for f in FRAMEWORKS if f in present})
    if len(pair.sides) == len(FRAMEWORKS):
        pair.agreement = compare.agreement(topic, pair.sides["pytorch"], pair.sides["mindspore"])
    store.save(pair, folder)
    return pair


def run(snippets: list[Snippet], folder: Path = FOLDER, console: Console | None = None) -> list[str]:
    """Execute snippets, store each result as it arrives, and return the failures, one line each."""
    console = console or Console(stderr=True)
    timeouts = store.timeouts()
    failures: list[str] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not snippets) as progress:
        waiting = [relative(snippet.path) for snippet in snippets]
        task = progress.add_task(_under_way(waiting), total=len(snippets))
        with closing(pool.execute_all(snippets, timeouts)) as outcomes:
            for outcome in outcomes:
                snippet = outcome.snippet
                waiting.remove(relative(snippet.path))
                if outcome.failure:
                    failures.append(outcome.failure)
                else:
                    merge(snippet.topic, {snippet.framework: side(outcome)}, folder)
                progress.update(task, advance=1, description=_under_way(waiting))
    return failures


def _under_way(waiting: list[str]) -> str:
    """Files start in order, one a core, so the first ones that are not done are running."""
    return f"executing {', '.join(waiting[: pool.CORES])}" if waiting else "executed"


def choose(names: list[str]) -> list[str]:
    """Topics meant by the names given (all for none). Accepts topics and paths of snippet files.

    Raises GuideError for a name that is neither.
    """
    known = source.topics()
    if not names:
        return known
    chosen = []
    for name in names:
        parts = Path(name).with_suffix("").parts
        for framework in FRAMEWORKS:
            if name.endswith(".py") and framework in parts:
                name = "/".join(parts[parts.index(framework) + 1 :])
        if name not in known:
            raise GuideError(f"no snippet is called {name}; the topics are: {', '.join(known)}")
        chosen.append(name)
    return chosen


def report(failures: list[str]) -> None:
    """Print failures, one line each, and stop with status 1 if there are any."""
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    if failures:
        raise SystemExit(1)
