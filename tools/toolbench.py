"""What the tools themselves cost, as ratios measured in one run: `make bench-tools`.

Execution: every snippet file from nothing, and the slowest ones again, alone.
Isolation: the same trivial file forked from the warm parent, in a fresh interpreter that imports both
frameworks, and in a notebook kernel that does. Growth: 50 and 500 generated pairs. Rebuild: the site with
nothing stale against plain MkDocs on the same pages, their macros already expanded.
"""

from __future__ import annotations

import logging
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.project import LABELS, ROOT, relative
from tools.site.build import CONFIGS
from tools.snippets import pool, source, store
from tools.snippets.source import Snippet

TRIVIAL = '"""Prints one number."""\n\n# --8<-- [start:one]\nprint({number})\n# --8<-- [end:one]\n'
FILES = 8
ROUNDS = 3


def trivial_files(folder: Path, count: int) -> list[Snippet]:
    """`count` pairs of files that do next to nothing."""
    snippets = []
    for framework in LABELS:
        (folder / framework).mkdir(parents=True, exist_ok=True)
        for index in range(count):
            path = folder / framework / f"trivial_{index}.py"
            path.write_text(TRIVIAL.format(number=index), encoding="utf-8")
            snippets.append(Snippet(path, framework, path.stem))
    return snippets


def forked(snippets: list[Snippet]) -> float:
    """Wall seconds for a list of files on all cores, each forked from the warm parent."""
    started = time.perf_counter()
    for outcome in pool.execute_all(snippets):
        if outcome.failure:
            raise SystemExit(f"error: {outcome.failure}")
    return time.perf_counter() - started


def on_all_cores(work: Callable[[Snippet], object], snippets: list[Snippet]) -> float:
    """Wall seconds for a list of files on all cores, each done by `work`."""
    started = time.perf_counter()
    with ThreadPoolExecutor(pool.CORES) as threads:
        list(threads.map(work, snippets))
    return time.perf_counter() - started


def fresh(snippet: Snippet) -> None:
    """One file in a fresh interpreter with both frameworks imported."""
    code = f"import torch, mindspore; exec(compile(open({str(snippet.path)!r}).read(), 'file', 'exec'))"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def kernel(snippet: Snippet) -> None:
    """One file as a notebook in a kernel of its own."""
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell("import torch, mindspore"), nbformat.v4.new_code_cell(snippet.text)]
    logging.getLogger("traitlets").setLevel(logging.ERROR)
    NotebookClient(nbformat.v4.new_notebook(cells=cells), kernel_name="python3").execute()


def execution(console: Console) -> None:
    """Print what all snippets of the guide take from nothing, and what the slowest files take alone."""
    files = [s for topic in source.topics() for f in LABELS if (s := source.snippet(f, topic))]
    started = time.perf_counter()
    spent = {}
    for outcome in pool.execute_all(files, store.timeouts()):
        if outcome.failure:
            raise SystemExit(f"error: {outcome.failure}")
        spent[outcome.snippet] = outcome.record["seconds"]
    console.print(f"Execution: {len(files)} files in {time.perf_counter() - started:.0f} s on {pool.CORES} cores")

    table = Table(title=f"The {FILES} slowest files, each again and alone")
    for column in ("file", "s"):
        table.add_column(column, justify="left" if column == "file" else "right")
    for snippet in sorted(spent, key=spent.__getitem__, reverse=True)[:FILES]:
        started = time.perf_counter()
        pool.execute(snippet, timeout=store.timeouts().get(snippet.topic, pool.TIMEOUT))
        table.add_row(relative(snippet.path), f"{time.perf_counter() - started:.1f}")
    console.print(table)


def isolation(console: Console) -> None:
    """Print the cost of a file three ways, interleaved, and the growth from 50 to 500 pairs."""
    with tempfile.TemporaryDirectory() as name:
        files = trivial_files(Path(name), FILES // 2)
        forked(files)  # the first call starts the parent and imports both frameworks: once, not per file
        ways: dict[str, Callable[[], float]] = {
            "forked from the warm parent": lambda: forked(files),
            "fresh interpreter": lambda: on_all_cores(fresh, files),
            "notebook kernel": lambda: on_all_cores(kernel, files),
        }
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, run in ways.items():
                times[way].append(run() / len(files))
        base = statistics.median(times["forked from the warm parent"])
        table = Table(title=f"Isolation: {len(files)} trivial files, {ROUNDS} rounds, wall time a file on all cores")
        for column in ("way", "median s", "lowest", "highest", "times the warm parent"):
            table.add_column(column, justify="left" if column == "way" else "right")
        for way, spent in times.items():
            median = statistics.median(spent)
            table.add_row(way, f"{median:.3f}", f"{min(spent):.3f}", f"{max(spent):.3f}", f"{median / base:.1f}")
        console.print(table)

        few, many = trivial_files(Path(name) / "few", 50), trivial_files(Path(name) / "many", 500)
        small, large = forked(few), forked(many)
        console.print(
            f"Growth: 50 pairs {small:.1f} s, 500 pairs {large:.1f} s: {large / small:.1f} times for 10 times the pairs"
        )


def rebuild(console: Console) -> None:
    """Print what a rebuild with nothing stale costs against plain MkDocs on the expanded pages."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "plain"
        plain_copy(copy)
        spent: dict[str, list[float]] = {"guide": [], "plain": []}
        for _ in range(ROUNDS + 2):
            for way, folder in (("guide", ROOT), ("plain", copy)):
                started = time.perf_counter()
                for language, config in CONFIGS.items():
                    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", config]
                    target = str(Path(name) / f"out-{way}-{language}")
                    subprocess.run([*command, "-d", target], cwd=folder, check=True, capture_output=True)
                spent[way].append(time.perf_counter() - started)
        medians = {way: statistics.median(times) for way, times in spent.items()}
        console.print(
            f"Rebuild, both languages: {medians['guide']:.2f} s against {medians['plain']:.2f} s for plain MkDocs: "
            f"{medians['guide'] / medians['plain']:.2f} times (medians of {ROUNDS + 2}, interleaved)"
        )


def plain_copy(copy: Path) -> None:
    """The same pages with macros expanded, and the same configuration without the macros plugin."""
    from tools.site.build import build_site

    built = copy.parent / "built"
    build_site(built)
    shutil.copytree(ROOT / "docs" / "theme", copy / "docs" / "theme")
    for language, config in CONFIGS.items():
        rendered = built if language == "en" else built / language
        for page in (ROOT / "docs" / language).rglob("*.md"):
            path = page.relative_to(ROOT / "docs" / language)
            target = copy / "docs" / language / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(rendered / path, target)
        for folder in ("snippets", "results"):
            if (rendered / folder).exists():
                shutil.copytree(rendered / folder, copy / "docs" / language / folder)
        text = (ROOT / config).read_text(encoding="utf-8")
        (copy / config).write_text(without_macros(text), encoding="utf-8")


def without_macros(config: str) -> str:
    """A MkDocs configuration as text, without its macros plugin."""
    kept, inside = [], False
    for line in config.splitlines():
        inside = line.startswith("  macros:") or (inside and line.startswith("    "))
        if not inside and not line.startswith("watch:"):
            kept.append(line)
    return "\n".join(kept) + "\n"


if __name__ == "__main__":
    output = Console()
    execution(output)
    isolation(output)
    rebuild(output)
