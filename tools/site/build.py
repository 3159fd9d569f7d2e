"""Builds both languages, each in a warm process of its own, and swaps the result in only if it is whole."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import TracebackType

from tools.project import LANGUAGES, ROOT, SITE, GuideError, relative

CONFIGS = {"en": "mkdocs.yml", "zh": "mkdocs.zh.yml"}


def build_language(language: str, target: str, site_url: str | None) -> list[str]:
    """Build one language into a folder; returns every warning and error, one line each.

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
    try:
        config = load_config(CONFIGS[language], site_dir=target)
        if site_url:
            config.site_url = site_url if language == "en" else f"{site_url}{language}/"
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    except Abort:
        pass  # its reason has been logged
    except MkDocsException as error:
        if not collector.lines:  # else it only counts what has been logged
            collector.lines.append(f"{CONFIGS[language]}: {' '.join(str(error).split())}")
    except SystemExit as error:
        collector.lines.append(f"{CONFIGS[language]}: the build ended with status {error.code}")
    finally:
        logger.removeHandler(collector)
    return collector.lines


class _Collector(logging.Handler):
    """Keeps every warning and error as one line that names the docs folder, and the file where it is known."""

    def __init__(self, language: str) -> None:
        super().__init__(logging.WARNING)
        self.folder = f"docs/{language}"
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
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
            jobs = [w.submit(build_language, n, str(fresh / n), site_url) for n, w in self._workers.items()]
            problems = list(dict.fromkeys(line for job in jobs for line in job.result()))
            if not problems:
                shutil.move(fresh / "zh", fresh / "en" / "zh")
                shutil.rmtree(target, ignore_errors=True)
                shutil.move(fresh / "en", target)
            return problems
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


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
