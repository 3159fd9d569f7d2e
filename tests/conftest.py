"""What several test files share."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, sync_playwright
from worlds import SmallRepository, World

from tools import browser as browsers
from tools.project import LANGUAGES


@dataclass(frozen=True)
class Page:
    """One page of the built site. `source` is its path below docs/<language>, `uri` below the site."""

    site: Path
    language: str
    source: str

    @property
    def uri(self) -> str:
        """Path of its rendered Markdown below the site: zh/api/tensors.md."""
        return self.source if self.language == "en" else f"{self.language}/{self.source}"

    @property
    def address(self) -> str:
        """Its address, from the root of the site: /zh/api/tensors/."""
        return "/" + self.uri.removesuffix(".md").removesuffix("index") + ("" if self.is_index else "/")

    @property
    def is_index(self) -> bool:
        """Whether it is the page of a folder."""
        return Path(self.source).name == "index.md"

    @cached_property
    def markdown(self) -> str:
        """The rendered Markdown that lies beside the page."""
        return (self.site / self.uri).read_text(encoding="utf-8")

    @cached_property
    def html(self) -> BeautifulSoup:
        """The page as the browser gets it."""
        text = (self.site / self.address.strip("/") / "index.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "lxml")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site in both languages, built once for all tests from the files as they are now."""
    from tools.site.build import build_site

    target = tmp_path_factory.mktemp("built") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SITE_URL", raising=False)
        patch.delenv("SITE_URL_ZH", raising=False)
        build_site(target)
    return target


@pytest.fixture(scope="session")
def pages(site: Path) -> list[Page]:
    """Every page of the built site, English first, as its sources say."""
    from tools.project import DOCS

    return [
        Page(site, language, path.relative_to(DOCS / language).as_posix())
        for language in LANGUAGES
        for path in sorted((DOCS / language).rglob("*.md"))
    ]


class QuietHandler(SimpleHTTPRequestHandler):
    """Sends files without logging each of them."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the built site is served: http://127.0.0.1:port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests. Where there is none, every test fails with the command to run."""
    path = browsers.ensure()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(browsers.ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Snippet files, exceptions and results of the test's own, in an empty folder."""
    return World(tmp_path, monkeypatch)


@pytest.fixture
def repository(tmp_path: Path) -> SmallRepository:
    """A copy of the tools with files of the test's own, for the command line."""
    return SmallRepository(tmp_path / "repository")
