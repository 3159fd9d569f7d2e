"""Builds both languages, each in a warm process of its own, and swaps the result in only if it is whole."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tools.project import LANGUAGES, ROOT, SITE, GuideError, relative

CONFIGS = {"en": "mkdocs.yml", "zh": "mkdocs.zh.yml"}


@dataclass(frozen=True)
class Built:
    """What a build of one language left: problems, one line each, and for each topic the pages that use it."""

    problems: list[str]
    used: dict[str, set[str]]


def build_language(language: str, target: str, site_url: str | None, pages: set[str] | None = None) -> Built:
    """Build one language into a folder; with `pages`, only those, into what an earlier build left there.

    Runs in a worker process, which keeps MkDocs and the Chinese dictionary loaded between builds.
    """
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # the theme's advertisement for its successor
    os.chdir(ROOT)
    import jieba
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, MkDocsException

    jieba.setLogLevel(logging.ERROR)
    logger = logging.getLogger("mkdocs")
    collector = _Collector(language)
    logger.addHandler(collector)
    logger.propagate = False
    used: dict[str, set[str]] = {}
    try:
        config = load_config(CONFIGS[language], site_dir=target)
        if site_url:
            config.site_url = site_url if language == "en" else f"{site_url}{language}/"
        dirty = pages is not None
        config.plugins.on_startup(command="build", dirty=dirty)
        with _only(Path(target), pages or set()) if dirty else nullcontext():
            build(config, dirty=dirty)
        used = config.plugins["macros"].guide.used
    except Abort:
        pass  # its reason has been logged
    except MkDocsException as error:
        if not collector.lines:  # else it only counts what has been logged
            collector.lines.append(f"{CONFIGS[language]}: {' '.join(str(error).split())}")
    except SystemExit as error:
        collector.lines.append(f"{CONFIGS[language]}: the build ended with status {error.code}")
    finally:
        logger.removeHandler(collector)
    return Built(collector.lines, used)


@contextmanager
def _only(site: Path, pages: set[str]) -> Iterator[None]:
    """Make MkDocs take just these pages for changed, and keep the indexes it would cut down to them."""
    for page in pages:
        path = site / page
        html = path.parent / "index.html" if path.stem == "index" else path.with_suffix("") / "index.html"
        os.utime(html, (0, 0))
    kept = {path: path.read_bytes() for path in (site / "search" / "search_index.json", site / "llms.txt")}
    yield
    for path, content in kept.items():
        path.write_bytes(content)


class _Collector(logging.Handler):
    """Keeps every warning and error as one line that names the docs folder, and the file where it is known."""

    def __init__(self, language: str) -> None:
        super().__init__(logging.WARNING)
        self.folder = f"docs/{language}"
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("A 'dirty' build"):
            return  # asked for, and _only keeps what it would harm
        text = " ".join(record.getMessage().split()).removeprefix("guide: ")
        # mkdocs-macros reports in Markdown: _File_: `page.md` _Kind_: what ``` traceback or source ```
        if match := re.search(r"_File_: `([^`]+)` (.+?)(?: ```|$)", text):
            what = re.sub(r"[_*]+(.+?)[_*]+", r"\1", match[2])
            text = f"{self.folder}/{match[1]}: {what}"
        self.lines.append(text if text.startswith(self.folder) else f"{self.folder}: {text}")


class Builder:
    """Two warm workers, one a language. A context manager."""

    def __enter__(self) -> Builder:
        spawn = multiprocessing.get_context("spawn")
        self._workers = {name: ProcessPoolExecutor(1, mp_context=spawn) for name in LANGUAGES}
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for worker in self._workers.values():
            worker.shutdown(cancel_futures=True)

    def build(self, target: Path, site_url: str | None = None) -> list[str]:
        """Build English into `target` and Chinese into `target`/zh, replacing what is there.

        Returns the problems, one line each; if there are any, `target` is left as it was.
        """
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        try:
            jobs = {n: w.submit(build_language, n, str(fresh / n), site_url) for n, w in self._workers.items()}
            built = {name: job.result() for name, job in jobs.items()}
            problems = [line for one in built.values() for line in one.problems]
            if not problems:
                self._used = {name: one.used for name, one in built.items()}
                shutil.move(fresh / "zh", fresh / "en" / "zh")
                shutil.rmtree(target, ignore_errors=True)
                shutil.move(fresh / "en", target)
            return problems
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def refresh(self, target: Path, topics: set[str], site_url: str | None = None) -> list[str]:
        """Build again, in place, just the pages that use one of the topics. Needs an earlier `build`.

        Returns the problems, one line each; a page with a problem stays as it was. The search index and
        llms.txt stay as the last full build left them.
        """
        jobs = []
        for name, worker in self._workers.items():
            pages = set().union(*(self._used[name].get(topic, set()) for topic in topics))
            folder = target if name == "en" else target / name
            jobs.append(worker.submit(build_language, name, str(folder), site_url, pages))
        return [line for job in jobs for line in job.result().problems]


def build_site(target: Path = SITE, site_url: str | None = None) -> None:
    """The publishable build: both languages, strict.

    Raises GuideError with all problems, one line each; what was built before stays.
    """
    with Builder() as builder:
        problems = builder.build(target, site_url)
    if problems:
        raise GuideError("\nerror: ".join(problems))
    pages = len(list(target.rglob("*.html")))
    size = sum(p.stat().st_size for p in target.rglob("*") if p.is_file()) / 2**20
    print(f"built {relative(target)}: {pages} pages, {size:.1f} MiB")
