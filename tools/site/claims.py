"""Dated facts and checked claims: data with a schema, and how pages print them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from tools.project import FACTS, GuideError, Reason, Record, load_rows, relative
from tools.site.text import indent, label

Row = TypeVar("Row", "Fact", "Claim")


class Fact(Record):
    """One row of facts/facts.yml. `recount` says how anyone can check the value again."""

    id: str = Field(pattern="^[a-z0-9.-]+$")
    statement: str
    value: str
    as_of: date
    source: str
    recount: str
    shelf_life_days: int = Field(default=365, gt=0)
    confidence: Literal["read", "inferred"]

    @property
    def old(self) -> bool:
        """Whether the fact is past its shelf life today."""
        return date.today() > self.as_of + timedelta(days=self.shelf_life_days)


class Claim(Record):
    """One row of facts/claims.yml: what earlier articles said, and what came of testing it.

    `finding` may use the macro `measured(…)`; `evidence` is a page, with or without an anchor.
    """

    id: str = Field(pattern="^[a-z0-9-]+$")
    claim: Reason
    verdict: Literal["confirmed", "contradicted", "depends", "untestable"]
    finding: Reason
    evidence: str = Field(pattern=r"^[a-z0-9/-]+\.md(#[a-z0-9-]+)?$")


def facts() -> dict[str, Fact]:
    """All facts by id. Raises GuideError where the file breaks its schema."""
    return _by_id(FACTS / "facts.yml", Fact)


def claims() -> dict[str, Claim]:
    """All checked claims by id. Raises GuideError where the file breaks its schema."""
    return _by_id(FACTS / "claims.yml", Claim)


def _by_id(path: Path, model: type[Row]) -> dict[str, Row]:
    rows = load_rows(path, model)
    by_id = {row.id: row for row in rows}
    if len(by_id) < len(rows):
        raise GuideError(f"{relative(path)}: an id stands twice")
    return by_id


def fact_markdown(key: str, language: str) -> str:
    """A fact's value with date and source. Raises GuideError for an unknown id."""
    if key not in facts():
        raise GuideError(f"no fact is called {key}; add it to facts/facts.yml")
    row = facts()[key]
    word = label("source", language)
    if row.source.startswith("http"):
        source = f"[{word}]({row.source})"
    else:
        source = f'<abbr title="{row.source}" tabindex="0">{word}</abbr>'
    return label("fact_old" if row.old else "fact", language, value=row.value, date=row.as_of, source=source)


def claim_markdown(key: str, language: str, book: Any) -> str:
    """A claim, its verdict, the finding and the evidence. Raises GuideError for an unknown id."""
    if key not in claims():
        raise GuideError(f"no claim is called {key}; add it to facts/claims.yml")
    row = claims()[key]
    finding = book.env.env.from_string(getattr(row.finding, language)).render(**book.env.variables)
    page, _, anchor = row.evidence.partition("#")
    target = "../" * book.here.count("/") + page + (f"#{anchor}" if anchor else "")
    evidence = "" if page == book.here else f" [{label('evidence', language)}]({target})"
    verdict = label(f"verdict_{row.verdict}", language)
    title = label("claim", language, verdict=verdict)
    body = f"> {getattr(row.claim, language)}\n\n{finding}{evidence}"
    return f'!!! claim-{row.verdict} "{title}"\n\n{indent(body)}'
