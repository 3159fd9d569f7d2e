"""`make serve`: both languages at one address; a saved snippet runs again, alone, and its pages show it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from os import environ
from pathlib import Path

import psutil
import pytest
from worlds import copy_repository

from tools.snippets import store

SNIPPET = "snippets/pytorch/tensors.py"
END = "# --8<-- [end:device]"


class Server:
    """`python -m tools serve` over a copy of the repository."""

    def __init__(self, root: Path) -> None:
        copy_repository(root)
        self.root = root
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = root / "serve.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tools", "serve", "--port", str(self.port)],
                cwd=root,
                env=environ | {"PYTHONPATH": str(root), "COLUMNS": "300"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.until(lambda: "serving" in self.printed(), "the server is up")

    def printed(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(encoding="utf-8")

    def page(self, address: str) -> str:
        """A page as a browser gets it now; empty where there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{address}", timeout=60) as answer:
                return answer.read().decode("utf-8")
        except urllib.error.HTTPError:
            return ""

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait for something that must happen soon, however slow the machine is."""
        deadline = time.monotonic() + 120
        while not true():
            assert time.monotonic() < deadline, f"never came about: {what}\n{self.printed()}"
            assert self.process.poll() is None, self.printed()
            time.sleep(0.1)

    def save(self, path: str, old: str, new: str) -> None:
        """Edit a file as an editor would."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the story that the tests below tell in order."""
    running = Server(tmp_path_factory.mktemp("served"))
    yield running
    running.process.kill()


def test_both_languages_are_at_one_address(server: Server) -> None:
    """The switch of each page leads to the same page in the other language, which is there."""
    english, chinese = server.page("/api/tensors/"), server.page("/zh/api/tensors/")
    assert 'href="../../zh/api/tensors/"' in english
    assert 'href="../../../api/tensors/"' in chinese
    assert "livereload(" in english and "livereload(" in chinese


def test_a_saved_snippet_runs_alone_and_its_pages_show_it(server: Server) -> None:
    """Only the file that was saved is executed; both languages show what it prints now."""
    folder = server.root / "results" / "snippets"
    before = {topic: store.load(topic, folder) for topic in ("tensors", "training")}
    server.save(SNIPPET, END, f'print("saved", 6 * 7)\n{END}')
    for address in ("/api/tensors/", "/zh/api/tensors/"):
        server.until(lambda address=address: "saved 42" in server.page(address), f"{address} shows the new output")
    after = {topic: store.load(topic, folder) for topic in ("tensors", "training")}
    assert before["tensors"] and after["tensors"]
    assert after["training"] == before["training"]
    assert after["tensors"].sides["mindspore"] == before["tensors"].sides["mindspore"]
    assert after["tensors"].sides["pytorch"].digest != before["tensors"].sides["pytorch"].digest
    assert "1 snippet(s) executed" in server.printed()


def test_a_saved_snippet_leaves_search_and_index_whole(server: Server) -> None:
    """Building a page alone must not cut the search index or llms.txt down to that page."""
    for language in ("", "/zh"):
        assert "api/training/" in server.page(f"{language}/search/search_index.json")
        assert "api/training.md): " in server.page(f"{language}/llms.txt")


def test_a_snippet_that_fails_is_told_and_the_page_stays(server: Server) -> None:
    """One line with file, section and line; the page still shows the last good output."""
    server.save(SNIPPET, 'print("saved", 6 * 7)', "1 / 0")
    said = f"error: {SNIPPET}, section device, line "
    server.until(lambda: said in server.printed() and "division by zero" in server.printed(), "the failure is told")
    assert "saved 42" in server.page("/api/tensors/")
    server.save(SNIPPET, "1 / 0", 'print("mended")')
    server.until(lambda: "mended" in server.page("/zh/api/tensors/"), "the mended output")


def test_a_saved_page_is_built_again(server: Server) -> None:
    """Prose is live too."""
    server.save("docs/zh/about/method.md", "数据从何而来", "数据到底从何而来")
    server.until(lambda: "数据到底从何而来" in server.page("/zh/about/method/"), "the new title")


def test_ending_it_ends_everything_it_started(server: Server) -> None:
    """Workers and the warm parent must not outlive the server."""
    family = psutil.Process(server.process.pid).children(recursive=True)
    assert family
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(30)
    _, alive = psutil.wait_procs(family, timeout=30)
    assert [" ".join(p.cmdline()) for p in alive] == []
    assert "Traceback" not in server.printed()
