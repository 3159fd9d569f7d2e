"""Set-up tells a person in one line what is wrong: a Python that will not do, or no network."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bootstrap
from tools.project import ROOT


def test_a_wrong_python_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """Neither this interpreter nor any on the PATH is supported."""
    monkeypatch.setattr(bootstrap, "version_of", lambda python: (3, 13))
    with pytest.raises(SystemExit) as stopped:
        bootstrap.choose()
    assert stopped.value.code == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "3.10, 3.11 or 3.12" in message and "make PYTHON=" in message


def test_a_supported_python_on_the_path_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """python3 may be too new while python3.12 stands beside it."""
    monkeypatch.setattr(bootstrap, "version_of", lambda python: (3, 12) if python == "python3.12" else (3, 13))
    assert bootstrap.choose() == "python3.12"


def test_no_network_is_told_in_one_line(tmp_path: Path) -> None:
    """The package index does not answer: status 1, the advice on the last line, no traceback."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "bootstrap.py", tmp_path / "tools")
    (tmp_path / "requirements.txt").write_text("a-package-that-is-not-installed==1.0\n")
    (tmp_path / "constraints.txt").write_text("")
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [sys.executable, "tools/bootstrap.py"],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith("PIP_")} | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr + done.stdout
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ") and "network" in last and ".cache/setup.log" in last
    assert not (tmp_path / ".venv" / "ready").exists()


def test_old_interpreters_can_read_the_set_up() -> None:
    """The sentence reaches Python 2 and early Python 3 only if they can parse this file."""
    tree = ast.parse((ROOT / "tools" / "bootstrap.py").read_text(encoding="utf-8"))
    modern = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Match, ast.AsyncFunctionDef, ast.Starred)
    found = [type(node).__name__ for node in ast.walk(tree) if isinstance(node, modern)]
    annotated = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.returns]
    assert found + annotated == []
