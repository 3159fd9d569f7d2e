"""What `python -m tools check` finds without executing anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from worlds import World, one_line, section

from tools import check
from tools.project import GuideError
from tools.site import documentation, questions
from tools.site.documentation import documentation_markdown


@pytest.fixture
def docs(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages of the test's own: page.md in both languages."""
    folder = world.root / "docs"
    for language in ("en", "zh"):
        (folder / language).mkdir(parents=True)
        (folder / language / "page.md").write_text('# Title\n\n## Head { #head }\n\n{{ twin("topic.one") }}\n')
    monkeypatch.setattr(check, "DOCS", folder)
    monkeypatch.setattr(documentation, "DOCS", folder)
    monkeypatch.setattr(questions, "FACTS", world.root)
    monkeypatch.setattr(documentation, "FACTS", world.root)
    return folder


def test_a_section_that_no_page_shows_is_reported(world: World, docs: Path) -> None:
    world.write(section("one", "print(1)") + section("two", "print(2)"))
    (line,) = check._unseen()
    assert line.startswith("no page shows section two of topic; add {{ twin(")
    (docs / "en" / "page.md").write_text('{{ twin("topic.one") }} {{ twin("topic.two") }}')
    assert list(check._unseen()) == []


QUESTION = {"id": "why", "page": "page.md#head", "asks": {"en": "Why?", "zh": "为什么？"}}
QUESTION |= {"search": {"en": "why", "zh": "为什么"}}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([QUESTION], []),
        ([QUESTION, QUESTION], ["facts/questions.yml: why stands twice"]),
        ([QUESTION | {"page": "gone.md#head"}], ["gone.md is missing"] * 2),
        ([QUESTION | {"page": "page.md#hea"}], ["page.md has no heading #hea"] * 2),
    ],
    ids=["fine", "twice", "no-page", "no-heading"],
)
def test_a_question_leads_to_a_heading_in_both_languages(
    world: World, docs: Path, rows: list[dict], expected: list[str]
) -> None:
    (world.root / "questions.yml").write_text(yaml.safe_dump(rows))
    found = list(check._questions())
    assert len(found) == len(expected)
    assert all(line.endswith(end) for line, end in zip(found, expected, strict=True))


LINK = {"topic": "topic", "framework": "pytorch", "title": "torch", "url": "https://docs.pytorch.org/docs/stable/"}
OTHER = {"topic": "topic", "framework": "mindspore", "title": {"en": "Guide", "zh": "指南"}}
OTHER |= {"url": "https://www.mindspore.cn/docs/en/stable/"}


def test_links_to_documentation_follow_the_language(world: World, docs: Path) -> None:
    (world.root / "documentation.yml").write_text(yaml.safe_dump([LINK, OTHER]))
    english, chinese = (documentation_markdown("topic", language) for language in ("en", "zh"))
    assert "[torch](https://docs.pytorch.org/docs/stable/)" in english and "[torch](" in chinese
    assert "[Guide](https://www.mindspore.cn/docs/en/stable/)" in english
    assert "[指南](https://www.mindspore.cn/docs/zh-CN/stable/)" in chinese


def test_the_map_is_linked_from_the_day_it_stands(world: World, docs: Path) -> None:
    (world.root / "documentation.yml").write_text(yaml.safe_dump([LINK, OTHER]))
    assert "map/index.md" not in documentation_markdown("topic", "en")
    (docs / "en" / "map").mkdir()
    (docs / "en" / "map" / "index.md").write_text("# Map\n")
    assert "](../map/index.md)" in documentation_markdown("topic", "en")


def test_a_page_without_documentation_is_not_built(world: World, docs: Path) -> None:
    (world.root / "documentation.yml").write_text(yaml.safe_dump([LINK]))
    with pytest.raises(GuideError, match="has no row of MindSpore for topic; add one") as caught:
        documentation_markdown("topic", "en")
    assert one_line(str(caught.value))


def test_a_link_that_leads_elsewhere_is_refused(world: World, docs: Path) -> None:
    (world.root / "documentation.yml").write_text(yaml.safe_dump([LINK | {"url": "https://example.org/"}]))
    with pytest.raises(GuideError, match=r"documentation.yml, row 1: url: String should match"):
        documentation.links()
