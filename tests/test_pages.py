"""The built site: both languages say the same, every link leads somewhere, and a page that lies is not built."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from conftest import Page
from worlds import copy_repository

from tools.project import DOCS, LANGUAGES, pinned, write_atomically
from tools.site import claims
from tools.snippets import store
from tools.snippets.source import Snippet

HOME = "http://127.0.0.1:8000/"
"""Where mkdocs.yml says that the site lies, if nobody says otherwise."""

CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
LATIN = re.compile(r"[A-Za-z]{2,}")


# Both languages


def sources(language: str) -> dict[str, str]:
    """Every page as it is written, by its path."""
    folder = DOCS / language
    found = sorted(folder.rglob("*.md"))
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in found}


def macros(text: str) -> list[str]:
    """The macro calls of a source, in order. The reason of a block that is not run is prose: it differs."""
    calls = [" ".join(call.split()) for call in re.findall(r"\{[{%](.*?)[%}]\}", text, re.DOTALL)]
    return ["not_executed" if call.startswith("not_executed(") else call for call in calls]


def relative_links(text: str) -> list[str]:
    """What Markdown links to inside the site, sorted: a sentence may name two pages the other way round."""
    return sorted(link for link in re.findall(r"\]\(<?([^)>\s]+)", text) if not urlsplit(link).scheme)


def twins_of(pages: list[Page]) -> list[tuple[Page, Page]]:
    """English and Chinese side by side."""
    english = {page.source: page for page in pages if page.language == "en"}
    return [(english[page.source], page) for page in pages if page.language == "zh"]


def test_both_languages_have_the_same_pages() -> None:
    """Guards against a page that only one language has."""
    assert list(sources("en")) == list(sources("zh"))
    assert sources("en")


def test_both_languages_have_the_same_headings(pages: list[Page]) -> None:
    """Guards against a section that is missing, or whose anchor differs: the title's own anchor may."""
    for english, chinese in twins_of(pages):
        outlines = [
            [(h.name, h.get("id") if h.name != "h1" else None) for h in page.html.select("article :is(h1,h2,h3,h4)")]
            for page in (english, chinese)
        ]
        assert outlines[0] == outlines[1], chinese.uri
        assert [name for name, _ in outlines[0]].count("h1") == 1, f"{english.uri} needs one title"


def test_both_languages_show_the_same_evidence() -> None:
    """Guards against a table, number, twin or link that only one language has."""
    english, chinese = sources("en"), sources("zh")
    for name in english:
        assert macros(english[name]) == macros(chinese[name]), name
        assert relative_links(english[name]) == relative_links(chinese[name]), name
    for claim in claims.claims().values():
        assert macros(claim.finding.en) == macros(claim.finding.zh), f"claim {claim.id}"


API = [page for page in sources("en") if page.startswith("api/") and page != "api/index.md"]


@pytest.mark.parametrize("name", API)
def test_an_api_page_has_what_its_readers_look_for(name: str) -> None:
    """Pairs, then the differences that bite, then where to read on; and the part's start page leads to it."""
    page = sources("en")[name]
    outline = re.findall(r"^## .*\{ ?#([\w-]+) ?\}$", page, re.MULTILINE)
    assert outline[-2:] == ["differences", "next"]
    pairs, _, end = page.partition("{ #differences }")
    assert pairs.count("{{ twin(") >= 8
    assert '{{ table("differences.' in end
    assert f'{{{{ documentation("{Path(name).stem}") }}}}' in end
    assert f"]({Path(name).name})" in sources("en")["api/index.md"]


def test_the_api_part_is_whole() -> None:
    """All twenty topics of the outline."""
    assert len(API) == 20


def prose(page: Page) -> list[str]:
    """Paragraphs, cells and headings as readers see them, without code."""
    article = BeautifulSoup(str(page.html.find("article")), "lxml")
    for code in article.select("pre, code, svg, script, style, .headerlink, .md-source-file"):
        code.decompose()
    return [" ".join(e.get_text(" ").split()) for e in article.select("p, li, td, th, figcaption, summary, h1, h2, h3")]


def test_english_pages_are_english(pages: list[Page]) -> None:
    """Guards against Chinese text left on an English page, whether by its author or by a macro."""
    for page in pages:
        if page.language == "en":
            assert [text for text in prose(page) if CHINESE.search(text)] == [], page.uri


def test_chinese_pages_are_chinese(pages: list[Page]) -> None:
    """Guards against an untranslated page or sentence: names and code words apart, the text is Chinese."""
    for page in pages:
        if page.language == "zh":
            texts = prose(page)
            untranslated = [t for t in texts if len(LATIN.findall(t)) > 5 and not CHINESE.search(t)]
            assert untranslated == [], page.uri
            whole = " ".join(texts)
            assert len(CHINESE.findall(whole)) > 2 * len(LATIN.findall(whole)), f"{page.uri} is mostly not Chinese"


# What is built


def local_file(site: Path, address: str) -> Path:
    """The file that a server sends for an address of the site."""
    path = site / unquote(urlsplit(address).path).lstrip("/")
    return path / "index.html" if path.is_dir() else path


def references(html: BeautifulSoup) -> list[tuple[str, str, bool]]:
    """Every address a page names: the tag, the address, and whether the browser loads it by itself."""
    found = []
    for tag in html.find_all(True):
        follows = tag.name == "a" or set(tag.get("rel", [])) & {"canonical", "alternate", "next", "prev"}
        for name in ("href", "src", "data", "poster", "action"):
            if value := tag.get(name):
                found.append((tag.name, value, not follows))
        for value in (tag.get("srcset") or "").split(","):
            if value.strip():
                found.append((tag.name, value.split()[0], True))
        for value in css_addresses(tag.get("style", "") + (tag.get_text() if tag.name == "style" else "")):
            found.append((tag.name, value, True))
    return found


def css_addresses(css: str) -> list[str]:
    """What a style sheet loads."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]+)", css) + re.findall(r"@import\s+['\"]([^'\"]+)", css)
    return [address for address in found if not address.startswith("data:")]


def test_no_link_or_anchor_is_broken(site: Path) -> None:
    """Follows every address on every page, in both languages, to its file and its anchor."""
    documents = {path: BeautifulSoup(path.read_text(encoding="utf-8"), "lxml") for path in site.rglob("*.html")}
    anchors = {path: {tag["id"] for tag in html.find_all(id=True)} for path, html in documents.items()}
    broken = []
    for path, html in documents.items():
        here = urljoin(HOME, path.relative_to(site).as_posix().removesuffix("index.html"))
        for _, value, _ in references(html):
            address, fragment = urldefrag(urljoin(here, value))
            if not address.startswith(HOME):
                continue
            target = local_file(site, address)
            if not target.is_file() or (
                fragment and target.suffix == ".html" and unquote(fragment) not in anchors[target]
            ):
                broken.append(f"{path.relative_to(site)}: {value}")
    assert broken == []
    assert len(documents) > 2 * len(LANGUAGES)


def test_rendered_markdown_has_no_broken_link(pages: list[Page]) -> None:
    """The Markdown beside the pages is published too: its relative links lead to published files."""
    for page in pages:
        text = re.sub(r"^( *)```.*?^\1```$", "", page.markdown, flags=re.DOTALL | re.MULTILINE)
        for link in relative_links(text):
            if path := urlsplit(link).path:
                assert (page.site / page.uri).parent.joinpath(path).is_file(), f"{page.uri}: {link}"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page and no style sheet names a script, image, font or frame of another host."""
    foreign = []
    for path in site.rglob("*.html"):
        for tag, value, loaded in references(BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")):
            if loaded and urlsplit(urljoin(HOME, value)).netloc != urlsplit(HOME).netloc:
                foreign.append(f"{path.relative_to(site)}: <{tag}> {value}")
    for path in site.rglob("*.css"):
        foreign += [
            f"{path.relative_to(site)}: {value}"
            for value in css_addresses(path.read_text(encoding="utf-8"))
            if urlsplit(value).netloc
        ]
    assert foreign == []


def test_the_language_switch_leads_to_the_same_page(pages: list[Page]) -> None:
    """On every page the switch names the other language and leads to that page there."""
    for here, there in [(a, b) for pair in twins_of(pages) for a, b in (pair, pair[::-1])]:
        (link,) = here.html.select(".guide-language a")
        assert urlsplit(urljoin(HOME + here.address[1:], link["href"])).path == there.address
        assert link["hreflang"] == there.language
        assert here.html.html["lang"] == here.language


def test_every_page_says_what_ran_and_when(pages: list[Page]) -> None:
    """The foot names both frameworks with their pinned versions, and a date if the page shows anything that ran."""
    pins = pinned()
    for page in pages:
        foot = page.html.select("article .ran")[-1].get_text()
        calls = macros(sources(page.language)[page.source])
        if [call for call in calls if not re.match(r'fact\(|not_executed|table\("(versions|claims)"\)', call)]:
            assert re.search(r"\b20\d\d-\d\d-\d\d\b", foot), f"{page.uri}: {foot}"
        named = re.findall(r"(PyTorch|MindSpore) ([\d.]+\d)", foot)
        assert set(named) == {("PyTorch", pins["torch"]), ("MindSpore", pins["mindspore"])}, f"{page.uri}: {foot}"


def test_every_page_is_published_as_markdown(site: Path, pages: list[Page]) -> None:
    """Each page has its rendered Markdown beside it, without a macro left in, and llms.txt lists exactly these."""
    for language in LANGUAGES:
        own = [page for page in pages if page.language == language]
        index = (site / ("" if language == "en" else language) / "llms.txt").read_text(encoding="utf-8")
        listed = re.findall(r"\]\((\S+?)\)", index)
        assert sorted(listed) == sorted(HOME + page.uri for page in own)
        for page in own:
            assert "{{" not in page.markdown and page.markdown.strip(), page.uri


def test_chinese_search_knows_words(site: Path) -> None:
    """Guards against an index of whole clauses, in which a word is found only where a clause begins with it."""
    documents = json.loads((site / "zh" / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    text = "\n".join(document["text"] for document in documents)
    assert re.search(r"[\u4e00-\u9fff]\u200b张量\u200b[\u4e00-\u9fff]", text)


# What is not built


@pytest.fixture
def build(tmp_path: Path) -> Callable[[], subprocess.CompletedProcess[str]]:
    """A copy of the repository in tmp_path, and the command that builds its site."""
    copy_repository(tmp_path)

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tools", "site"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def append(path: Path, text: str) -> None:
    """Add lines to a file."""
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def stored_probe(root: Path, topic: str) -> Path:
    """A new pair of snippet files with a stored result that fits them; returns PyTorch's file."""
    sides = {}
    for framework, distribution in (("mindspore", "mindspore"), ("pytorch", "torch")):
        path = root / "snippets" / framework / f"{topic}.py"
        write_atomically(path, '"""A probe."""\n\n# --8<-- [start:only]\nprint(1)\n# --8<-- [end:only]\n')
        sides[framework] = store.Side(
            digest=Snippet(path, framework, topic).digest,
            version=pinned()[distribution],
            numpy="1",
            python="3",
            executed="2026-01-01T00:00:00Z",
            seconds=0,
            sections={"only": store.Output(stdout="1\n", seconds=0)},
            values={},
        )
    store.save(store.Pair(topic=topic, sides=sides), root / "results" / "snippets")
    return path


def test_what_cannot_be_true_stops_the_build(
    tmp_path: Path, build: Callable[[], subprocess.CompletedProcess[str]]
) -> None:
    """Unknown keys, stale and missing results: one line each with page and remedy; the old site stays."""
    stale = stored_probe(tmp_path, "stale_probe")
    edited = stored_probe(tmp_path, "edited_probe")
    missing = stored_probe(tmp_path, "missing_probe")
    partner = stored_probe(tmp_path, "partner_probe")
    for topic in ("stale", "edited", "missing", "partner"):
        append(tmp_path / "docs/en/index.md", f'\n\n{{{{ twin("{topic}_probe.only") }}}}\n')
    whole = build()
    assert whole.returncode == 0, whole.stderr
    before = contents(tmp_path / "site")

    results = tmp_path / "results" / "snippets"
    append(stale, "print(2)\n")
    append(results / "edited_probe.json", " ")
    (results / "edited_probe.json").write_text(
        (results / "edited_probe.json").read_text(encoding="utf-8").replace('"1\\n"', '"2\\n"'), encoding="utf-8"
    )
    (results / "missing_probe.json").unlink()
    partner.unlink()
    assert edited.is_file() and missing.is_file()
    for call in (
        'twin("nothing.only")',
        'twin("partner_probe.nothing")',
        'twin("training.handwritten")',
        'table("nothing.tensors")',
        'chart("bench.nothing.epoch_seconds")',
        'measured("nothing")',
        'fact("nothing")',
        'claim("nothing")',
    ):
        append(tmp_path / "docs/en/index.md", f"\n\n{{{{ {call} }}}}\n")

    broken = build()
    assert broken.returncode == 1
    lines = broken.stderr.splitlines()
    assert all(line.startswith("error: ") for line in lines), broken.stderr
    for said in (
        "snippets/pytorch/stale_probe.py changed since it ran; run: python -m tools run stale_probe",
        "results/snippets/edited_probe.json was changed after it was written; delete it and run: "
        "python -m tools run edited_probe",
        "missing_probe has never run; run: python -m tools run missing_probe",
        "snippets/pytorch/partner_probe.py is missing; write it, or",
        "no snippet is called nothing; the topics are: ",
        "training.handwritten continues data; show that above it",
        "no table is called nothing.tensors; kinds: ",
        "no workload is called nothing; there are: ",
        "no number is called nothing; ",
        "no fact is called nothing; add it to facts/facts.yml",
        "no claim is called nothing; add it to facts/claims.yml",
    ):
        assert [line for line in lines if f"docs/en/index.md: {said}" in line], f"{said!r} not in:\n{broken.stderr}"
    assert contents(tmp_path / "site") == before
    assert not list(tmp_path.glob(".site-*")), "half a build was left behind"


def test_the_build_is_strict(tmp_path: Path, build: Callable[[], subprocess.CompletedProcess[str]]) -> None:
    """A broken link or anchor, a page that no menu names, and an unknown macro are errors, one line each."""
    bad = {
        "docs/en/index.md": ("[lost](api/lost.md)", "'api/lost.md'"),
        "docs/zh/index.md": ("[lost](api/tensors.md#lost)", "'api/tensors.md#lost'"),
        "docs/en/orphan.md": ("# Orphan", "orphan.md"),
        "docs/zh/api/tensors.md": ('{{ lost("x") }}', "'lost' is undefined"),
        "docs/en/api/tensors.md": ("{{ lost(", "docs/en/api/tensors.md: "),
    }
    for page, (text, _) in bad.items():
        (tmp_path / page).touch()
        append(tmp_path / page, f"\n\n{text}\n")
    broken = build()
    lines = broken.stderr.splitlines()
    assert broken.returncode == 1
    assert all(re.match(r"error: docs/(en|zh)\b", line) for line in lines), broken.stderr
    assert "Traceback" not in broken.stderr
    for page, (_, said) in bad.items():
        language, name = page.split("/")[1], page.split("/", 2)[2]
        named = [line for line in lines if line.startswith(f"error: docs/{language}") and name in line and said in line]
        assert named, f"{page}: {said!r} not in:\n{broken.stderr}"
    assert not (tmp_path / "site").exists()
