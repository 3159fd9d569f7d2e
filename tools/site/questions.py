"""Questions that people ask, and where the guide answers them: data that the search test reads."""

from __future__ import annotations

from pydantic import Field

from tools.project import FACTS, Record, load_rows


class Words(Record):
    """The same thing in both languages."""

    en: str = Field(min_length=2)
    zh: str = Field(min_length=2)


class Question(Record):
    """One row of facts/questions.yml.

    `page` is the page and the heading that answer; `search` is what a reader types into the search box, and
    the site's own search must show the page among its first three results.
    """

    id: str = Field(pattern="^[a-z0-9-]+$")
    page: str = Field(pattern=r"^[a-z0-9/-]+[.]md#[a-z0-9_-]+$")
    asks: Words
    search: Words


def questions() -> tuple[Question, ...]:
    """All rows. Raises GuideError where the file breaks its schema."""
    return load_rows(FACTS / "questions.yml", Question)
