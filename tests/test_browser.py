"""The built site in a real browser: at phone and desktop width, dark and light, in both languages."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conftest import Page
from playwright.sync_api import Browser, BrowserContext, expect
from playwright.sync_api import Page as Tab

from tools import browser as browsers
from tools.project import ROOT, GuideError

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """Makes tabs of fresh contexts (nothing remembered); every request or console error in them fails the test."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def make(address: str, **options: object) -> Tab:
        contexts.append(chromium.new_context(**({"viewport": DESKTOP} | options)))
        tab = contexts[-1].new_page()
        watch(tab, problems, str(options.get("viewport", DESKTOP)))
        tab.goto(address)
        return tab

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def watch(tab: Tab, problems: list[str], how: str) -> None:
    """Note everything that a clean page never does, with the page and the way it was looked at."""

    def note(what: str) -> None:
        problems.append(f"{urlsplit(tab.url).path} {how}: {what}")

    tab.on("console", lambda m: note(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: note(f"error: {error}"))
    # Leaving a page cuts short what it still loads, which is no fault of the page.
    tab.on("requestfailed", lambda r: None if r.failure == "net::ERR_ABORTED" else note(f"failed: {r.url} {r.failure}"))
    tab.on("response", lambda r: note(f"status {r.status}: {r.url}") if r.status >= 400 else None)
    tab.on("request", lambda r: None if _local(r.url) else note(f"request to another host: {r.url}"))


def _local(url: str) -> bool:
    return urlsplit(url).hostname == "127.0.0.1" or urlsplit(url).scheme in ("data", "blob", "about")


def with_twins(pages: list[Page], language: str) -> list[Page]:
    """The pages of a language that show pairs in tabs; two are needed to see that a choice holds."""
    found = [p for p in pages if p.language == language and p.html.select(".twin .tabbed-labels > label + label")]
    assert len(found) >= 2, f"only {len(found)} page(s) in {language} show pairs"
    return found


def panes(tab: Tab) -> list[list[bool]]:
    """For every pair of the page, which of its panes are visible, PyTorch first."""
    return [
        [pane.is_visible() for pane in twin.locator(".tabbed-block").all()]
        for twin in tab.locator(".twin:has(.tabbed-labels > label + label)").all()
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_page_is_clean(
    chromium: Browser, address: str, pages: list[Page], viewport: dict[str, int], scheme: str
) -> None:
    """No console error, no failed or foreign request, nothing wider than the screen, a visible title."""
    problems: list[str] = []
    context = chromium.new_context(viewport=viewport, color_scheme=scheme)
    tab = context.new_page()
    how = f"{viewport['width']} px {scheme}"
    watch(tab, problems, how)
    for page in pages:
        tab.goto(address + page.address, wait_until="networkidle")
        width = tab.evaluate("document.documentElement.scrollWidth")
        shown = tab.locator("body").get_attribute("data-md-color-scheme")
        if width > viewport["width"]:
            problems.append(f"{page.address} {how}: {width} px wide: {widest(tab)}")
        if shown != {"light": "default", "dark": "slate"}[scheme]:
            problems.append(f"{page.address} {how}: drawn in the scheme {shown}")
        if not tab.locator("article h1").is_visible():
            problems.append(f"{page.address} {how}: no visible title")
    context.close()
    assert problems == [], "\n".join(problems)


def widest(tab: Tab) -> str:
    """The innermost element that reaches furthest to the right."""
    return tab.evaluate(
        """() => {
            const right = e => e.getBoundingClientRect().right;
            const all = [...document.querySelectorAll("body *")];
            const far = all.reduce((a, b) => (right(b) >= right(a) ? b : a));
            return far.outerHTML.slice(0, 120);
        }"""
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_chosen_framework_stays_chosen(
    visit: Callable[..., Tab], address: str, pages: list[Page], language: str, viewport: dict[str, int]
) -> None:
    """One click on MindSpore switches every pair of the page, and those of the next page."""
    first, second, *_ = with_twins(pages, language)
    tab = visit(address + first.address, viewport=viewport)
    assert all(shown == [True, False] for shown in panes(tab))
    tab.locator(".twin label", has_text="MindSpore").first.click()
    expect(tab.locator(".twin .tabbed-block").nth(1)).to_be_visible()
    assert all(shown == [False, True] for shown in panes(tab))
    tab.goto(address + second.address)
    expect(tab.locator(".twin .tabbed-block").nth(1)).to_be_visible()
    assert panes(tab) and all(shown == [False, True] for shown in panes(tab))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_side_by_side_stays_as_the_reader_left_it(
    visit: Callable[..., Tab], address: str, pages: list[Page], language: str
) -> None:
    """The switch shows both panes, on the next page and after a reload too; a second click brings tabs back."""
    first, second, *_ = with_twins(pages, language)
    tab = visit(address + first.address)
    button = tab.locator("button.guide-sides")
    button.click()
    assert all(shown == [True, True] for shown in panes(tab))
    left, right = (pane.bounding_box() for pane in tab.locator(".twin .tabbed-block").all()[:2])
    assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"], "the panes are not side by side"
    tab.goto(address + second.address)
    assert panes(tab) and all(shown == [True, True] for shown in panes(tab))
    tab.reload()
    assert all(shown == [True, True] for shown in panes(tab))
    assert tab.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
    button.click()
    assert all(sum(shown) == 1 for shown in panes(tab))
    tab.reload()
    assert all(sum(shown) == 1 for shown in panes(tab))
    tab.set_viewport_size(PHONE)
    expect(button).to_be_hidden()


def test_the_language_switch_leads_there_and_back(visit: Callable[..., Tab], address: str, pages: list[Page]) -> None:
    """From the home page and from a page in a folder, by clicking, on a phone."""
    home, inner = Page(pages[0].site, "en", "index.md"), with_twins(pages, "en")[0]
    for page in (home, inner):
        tab = visit(address + page.address, viewport=PHONE)
        title = tab.locator("article h1").inner_text()
        tab.locator(".guide-language a").click()
        expect(tab).to_have_url(f"{address}/zh{page.address}")
        expect(tab.locator("html")).to_have_attribute("lang", "zh")
        tab.locator(".guide-language a").click()
        expect(tab).to_have_url(address + page.address)
        expect(tab.locator("article h1")).to_have_text(title, use_inner_text=True)


@pytest.mark.parametrize(("language", "word"), [("en", "tensor"), ("zh", "张量")])
def test_search_finds_a_word(
    visit: Callable[..., Tab], address: str, pages: list[Page], language: str, word: str
) -> None:
    """Typing a word lists pages that hold it, the page about it first, and a click leads there."""
    (page,) = [p for p in pages if p.language == language and p.source == "api/tensors.md"]
    home = "/" if language == "en" else f"/{language}/"
    tab = visit(address + home)
    query = tab.locator("input.md-search__input")
    query.click()
    query.fill(word)
    query.press("End")  # the theme searches when a key is let go, as it is at the end of a Chinese input method
    result = tab.locator(".md-search-result__item a").first
    expect(result).to_be_visible()
    assert urlsplit(result.get_attribute("href")).path == page.address
    assert word in tab.locator(".md-search-result__item").first.inner_text().lower()
    result.click()
    expect(tab).to_have_url(re.compile(re.escape(address + page.address)))
    expect(tab.locator("article h1")).to_be_visible()
    assert word in tab.locator("article").inner_text().lower()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_work_without_javascript(
    visit: Callable[..., Tab], address: str, pages: list[Page], language: str
) -> None:
    """Code and output are there, tabs switch, and no button is offered that would do nothing."""
    tab = visit(address + with_twins(pages, language)[0].address, java_script_enabled=False)
    twin = tab.locator(".twin:has(.tabbed-labels > label + label)").first
    left, right = twin.locator(".tabbed-block").all()
    expect(left.locator("pre").first).to_be_visible()
    expect(right).to_be_hidden()
    twin.locator("label", has_text="MindSpore").click()
    expect(right.locator("pre").first).to_be_visible()
    expect(left).to_be_hidden()
    assert "mindspore" in right.locator("pre").first.inner_text()
    expect(tab.locator("button.guide-sides")).to_have_count(0)


# Finding a browser


def program(folder: Path, name: str, status: int = 0) -> Path:
    """A stand-in for a browser that ends with a status."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no browser anywhere; returns the one folder on its PATH."""
    monkeypatch.delenv("GUIDE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(browsers, "APPLICATIONS", ())
    monkeypatch.setattr(browsers, "_playwrights_own", lambda: None)
    return tmp_path / "bin"


def test_the_best_browser_is_found(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable comes first, then the PATH, then Playwright's own; one that does not start is passed over."""
    assert browsers.find() is None
    own = program(bare.parent / "own", "chrome")
    monkeypatch.setattr(browsers, "_playwrights_own", lambda: str(own))
    assert browsers.find() == str(own)
    chrome = program(bare, "google-chrome")
    program(bare, "chromium-browser", status=1)
    assert browsers.find() == str(chrome)
    monkeypatch.setenv("GUIDE_CHROMIUM", str(own))
    assert browsers.find() == str(own)
    monkeypatch.setenv("GUIDE_CHROMIUM", "/nowhere/chrome")
    with pytest.raises(GuideError, match="^GUIDE_CHROMIUM names /nowhere/chrome, which does not start; .*unset"):
        browsers.find()


def test_a_missing_browser_is_fetched_or_named(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way is tried in turn until one works; with none, the error is one line with one command."""
    tried: list[tuple[str, ...]] = []

    def fake(command: tuple[str, ...], **_: object) -> subprocess.CompletedProcess[bytes]:
        if command[-1] == "--version":
            return subprocess.CompletedProcess(command, 0)
        tried.append(command)
        if command == works:
            program(bare, "chromium")
        return subprocess.CompletedProcess(command, 0 if command == works else 1)

    monkeypatch.setattr(browsers.subprocess, "run", fake)
    works: tuple[str, ...] = ()
    with pytest.raises(GuideError, match=r"run: \S+ -m playwright install chromium$") as caught:
        browsers.ensure()
    assert "\n" not in str(caught.value)
    assert tried == [browsers.PLAYWRIGHT]

    program(bare, "apt-get")
    monkeypatch.setattr(browsers.platform, "system", lambda: "Linux")
    monkeypatch.setattr(browsers.os, "geteuid", lambda: 1000)
    with pytest.raises(GuideError, match="run: sudo apt-get install -y chromium fonts-noto-cjk$"):
        browsers.ensure()

    monkeypatch.setattr(browsers.os, "geteuid", lambda: 0)
    tried.clear()
    works = browsers.PACKAGES
    assert browsers.ensure() == str(bare / "chromium")
    assert tried == [browsers.PLAYWRIGHT, ("apt-get", "update"), browsers.PACKAGES]


def test_the_command_prints_a_path_or_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `make test` runs first."""
    for named, status in ((program(tmp_path, "good"), 0), (program(tmp_path, "bad", status=1), 1)):
        monkeypatch.setenv("GUIDE_CHROMIUM", str(named))
        done = subprocess.run([sys.executable, "-m", "tools.browser"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == status
        assert (done.stdout + done.stderr).count("\n") == 1
        assert str(named) in done.stdout + done.stderr
