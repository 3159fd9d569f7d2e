"""Where a page leads when the reader wants more: official documentation, and the guide's own map and migration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tools.project import DOCS, FACTS, FRAMEWORKS, LABELS, GuideError, Record, load_rows
from tools.site.text import label

FURTHER = ("map/index.md", "migration/index.md")
"""Pages of the guide that every API page leads to, from the day they stand."""


class Link(Record):
    """One row of facts/documentation.yml: an official page that belongs to an API page of the guide."""

    topic: str = Field(description="name of the page below docs/<language>/api/")
    framework: Literal["pytorch", "mindspore"]
    title: str | dict[Literal["en", "zh"], str]
    url: str = Field(pattern="^https://(docs[.]pytorch[.]org|pytorch[.]org|www[.]mindspore[.]cn)/")

    def markdown(self, language: str) -> str:
        """The link. MindSpore's documentation stands in both languages under parallel addresses."""
        title = self.title if isinstance(self.title, str) else self.title[language]  # type: ignore[index]
        url = self.url.replace("/en/", "/zh-CN/", 1) if language == "zh" else self.url
        return f"[{title}]({url})"


def links() -> tuple[Link, ...]:
    """All rows. Raises GuideError where the file breaks its schema."""
    return load_rows(FACTS / "documentation.yml", Link)


def documentation_markdown(topic: str, language: str) -> str:
    """A list of links for the end of a page. Raises GuideError for a topic that lacks one framework's."""
    lines = []
    for framework in FRAMEWORKS:
        found = [row.markdown(language) for row in links() if (row.topic, row.framework) == (topic, framework)]
        if not found:
            raise GuideError(f"facts/documentation.yml has no row of {LABELS[framework]} for {topic}; add one")
        name = label("official", language, framework=LABELS[framework])
        lines.append(f"- {name}{label('list_separator', language).join(found)}")
    for page in FURTHER:
        if (DOCS / language / page).is_file():
            lines.append(f"- [{label(page, language)}](../{page})")
    return "\n".join(lines)
