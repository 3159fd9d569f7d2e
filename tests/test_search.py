"""The site's own search, in a real browser, asked what people ask: the answering page is among the first three."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from tools.project import LANGUAGES
from tools.site.questions import questions

FIRST = 3
"""How many results a reader looks at."""

ASK = """async words => {
    const field = document.querySelector("input.md-search__input");
    const meta = document.querySelector(".md-search-result__meta");
    const results = document.querySelector(".md-search-result__list");
    const ask = text => new Promise(resolve => {
        // The theme writes the number of results once it has them, so a change of it ends the wait.
        const done = new MutationObserver(() => { done.disconnect(); setTimeout(resolve, 0); });
        done.observe(meta, {childList: true, characterData: true, subtree: true});
        field.value = text;
        field.dispatchEvent(new KeyboardEvent("keyup", {key: "End", bubbles: true}));
    });
    await ask("");
    await ask(words);
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [...results.querySelectorAll(".md-search-result__item > a, .md-search-result__item > article > a")]
        .map(a => a.href);
}"""


def first_pages(tab: Tab, words: str) -> list[str]:
    """Addresses of the pages that the search lists first, best first."""
    addresses = [urlsplit(link).path for link in tab.evaluate(ASK, words)]
    return list(dict.fromkeys(addresses))[:FIRST]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_ask_is_found(chromium: Browser, address: str, language: str) -> None:
    """Every question of facts/questions.yml, in a searcher's words."""
    home = "/" if language == "en" else f"/{language}/"
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(address + home)
    tab.locator("input.md-search__input").focus()
    missed = []
    for row in questions():
        words = getattr(row.search, language)
        page = home + row.page.partition("#")[0].removesuffix(".md") + "/"
        found = first_pages(tab, words)
        if page not in found:
            missed.append(f"{row.id}: {words!r} leads to {found}, not to {page}")
    context.close()
    assert questions()
    assert missed == [], "\n".join(missed)
