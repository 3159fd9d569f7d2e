"""Little repositories for tests: each test has its own, and the real one stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from tools.project import ROOT
from tools.snippets import pool, run, source, store
from tools.snippets.source import Snippet

REASON = {"en": "because the test says so", "zh": "因为测试如此要求"}


def section(name: str, body: str) -> str:
    """Lines of a snippet file that make one section."""
    return f"# --8<-- [start:{name}]\n{dedent(body).strip()}\n# --8<-- [end:{name}]\n"


def one_line(text: str) -> bool:
    """Whether an error is what people are promised: one line, and no traceback."""
    return bool(text.strip()) and len(text.strip().splitlines()) == 1 and "Traceback" not in text


def copy_repository(root: Path) -> None:
    """Copy into `root` everything that the site is made of."""
    for name in ("docs", "snippets", "results", "facts", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "mkdocs.zh.yml", "requirements.txt"):
        shutil.copy(ROOT / name, root)


class World:
    """A folder of snippet files, exceptions and results, which the tools take for the repository's own."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.snippets = root / "snippets"
        self.results = root / "results"
        self.exceptions_file = self.snippets / "exceptions" / "topic.yml"
        self.exceptions_file.parent.mkdir(parents=True)
        monkeypatch.setattr(source, "ROOT", root)
        monkeypatch.setattr(source, "SNIPPETS", self.snippets)
        monkeypatch.setattr(store, "EXCEPTIONS", self.exceptions_file.parent)
        # Whoever names no folder means this one.
        monkeypatch.setattr(store.load, "__defaults__", (self.results,))

    def write(self, text: str, framework: str = "pytorch", topic: str = "topic") -> Snippet:
        """Write a snippet file; returns it freshly read."""
        path = self.snippets / framework / f"{topic}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Snippet(path, framework, topic)

    def exceptions(self, rows: list[dict], topic: str = "topic") -> None:
        """Write the exceptions of a topic; each row gets a reason."""
        text = yaml.safe_dump([{"reason": REASON} | row for row in rows], allow_unicode=True)
        self.exceptions_file.with_name(f"{topic}.yml").write_text(text, encoding="utf-8")

    def execute(self, text: str, framework: str = "pytorch", timeout: float = pool.TIMEOUT) -> pool.Outcome:
        """Write one snippet and really execute it in a process of its own."""
        return pool.execute(self.write(text, framework), timeout=timeout)

    def run(self, *snippets: Snippet) -> list[str]:
        """Execute snippets and store their results, as `python -m tools run` does; returns the failures."""
        return run.run(list(snippets), self.results)

    def pair(self, topic: str = "topic") -> store.Pair:
        """What is stored of a topic."""
        pair = store.load(topic, self.results)
        assert pair is not None
        return pair


class SmallRepository:
    """A copy of tools/ with files of its own, for the command line. Empty modules stand in for the frameworks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = os.environ | {"PYTHONPATH": str(root), "COLUMNS": "200"}
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "tools", root / "tools", ignore=ignored)
        shutil.copytree(ROOT / "snippets" / "common", root / "snippets" / "common", ignore=ignored)
        shutil.copy(ROOT / "requirements.txt", root)
        self.write("torch.py", "")
        self.write("mindspore.py", "")
        self.write("snippets/__init__.py", "")
        for data in ("facts/facts.yml", "facts/claims.yml", "facts/documentation.yml", "facts/questions.yml"):
            self.write(data, "[]\n")
        self.write("tools/measure/workloads.yml", "{}\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file below the root."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `python -m tools …` there, in a process group of its own, as a terminal would."""
        return subprocess.Popen(
            [sys.executable, "-m", "tools", *arguments],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def tools(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `python -m tools …` there to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)
