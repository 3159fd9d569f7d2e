"""What is kept of a pair: one JSON document per topic, results/snippets/<topic>.json.

Also the exceptions: rows of snippets/exceptions/<topic>.yml, each with a reason in both languages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from tools.project import RESULTS, SNIPPETS, Reason, Record, Sealed, load_json, load_rows, save_json

FOLDER = RESULTS / "snippets"
EXCEPTIONS = SNIPPETS / "exceptions"


class Value(Record):
    """One declared value: a flat list in C order. Not-a-number and infinities are kept as text."""

    dtype: str
    shape: list[int]
    data: list[float | int | bool | str]


class Output(Record):
    """What one section printed, with warnings and log lines apart, and its own duration in seconds."""

    stdout: str
    stderr: str = ""
    seconds: float = Field(ge=0)


class Side(Record):
    """One execution of one file."""

    digest: str = Field(pattern="^[0-9a-f]{16}$")
    version: str
    numpy: str
    python: str
    executed: str
    seconds: float = Field(ge=0)
    sections: dict[str, Output]
    values: dict[str, Value]


class Agreement(Record):
    """How far the two sides lie apart for one declared value."""

    largest_difference: float | None = Field(description="None where shapes or dtypes cannot be compared")
    tolerance: float
    agrees: bool


class Pair(Sealed):
    """Everything known about a topic."""

    topic: str
    sides: dict[Literal["pytorch", "mindspore"], Side]
    agreement: dict[str, Agreement] = {}


class Exception_(Record):
    """One row of snippets/exceptions/<topic>.yml; the topic is the name of the file.

    kind: `differs` (a declared value is meant to differ), `tolerance` (a value agrees less closely than
    the usual 1e-6), `one_side` (a section, or with no section the whole topic, stands in one framework
    only), `volatile` (lines of a section's output that change from run to run; `lines` is a regular
    expression), `slow` (a file that may take up to `seconds`).
    """

    kind: Literal["differs", "tolerance", "one_side", "volatile", "slow"]
    framework: Literal["pytorch", "mindspore"] | None = None
    section: str | None = None
    value: str | None = None
    tolerance: float | None = Field(default=None, gt=0)
    lines: str | None = None
    seconds: float | None = Field(default=None, gt=0)
    reason: Reason

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Exception_:
        needed = {
            "differs": ("value",),
            "tolerance": ("value", "tolerance"),
            "one_side": ("framework",),
            "volatile": ("section", "lines"),
            "slow": ("seconds",),
        }[self.kind]
        missing = [name for name in needed if getattr(self, name) is None]
        if missing:
            raise ValueError(f"an exception of kind {self.kind} needs {', '.join(missing)}")
        try:
            re.compile(self.lines or "")
        except re.error as error:
            raise ValueError(f"lines is not a regular expression: {error}") from None
        return self


def path_of(topic: str, folder: Path = FOLDER) -> Path:
    """Where a topic's document lies."""
    return folder / f"{topic}.json"


def load(topic: str, folder: Path = FOLDER) -> Pair | None:
    """The stored document of a topic, or None where it never ran.

    Raises GuideError where the file is there but cannot be trusted.
    """
    path = path_of(topic, folder)
    if not path.exists():
        return None
    return load_json(path, Pair, f"delete it and run: python -m tools run {topic}")


def save(pair: Pair, folder: Path = FOLDER) -> None:
    """Store a topic's document."""
    save_json(path_of(pair.topic, folder), pair)


def exceptions(topic: str, kind: str | None = None) -> list[Exception_]:
    """Rows of one topic, of one kind or of all. Raises GuideError for the first that breaks its schema."""
    path = EXCEPTIONS / f"{topic}.yml"
    rows = load_rows(path, Exception_) if path.exists() else ()
    return [row for row in rows if kind in (None, row.kind)]


def exception_topics() -> list[str]:
    """Every topic that has a file of exceptions, sorted."""
    return sorted(p.relative_to(EXCEPTIONS).with_suffix("").as_posix() for p in EXCEPTIONS.rglob("*.yml"))


def timeouts() -> dict[str, float]:
    """Topic -> seconds that its files may take, where that is not the usual limit."""
    return {topic: row.seconds for topic in exception_topics() for row in exceptions(topic) if row.seconds}
