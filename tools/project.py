"""Where things are, which versions are pinned, and how files are written."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

ROOT = Path(__file__).resolve().parent.parent
SNIPPETS = ROOT / "snippets"
RESULTS = ROOT / "results"
FACTS = ROOT / "facts"
DOCS = ROOT / "docs"
SITE = ROOT / "site"
CACHE = ROOT / ".cache"

FRAMEWORKS = {"pytorch": "torch", "mindspore": "mindspore"}
"""Folder under snippets/ -> name of the distribution, in the order in which pages show them."""

LABELS = {"pytorch": "PyTorch", "mindspore": "MindSpore"}
LANGUAGES = ("en", "zh")


class GuideError(Exception):
    """Something a person can mend. Its text is one line that says what and how."""


class Record(BaseModel):
    """Base of everything stored: unknown keys are refused, so a typo cannot pass."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Reason(Record):
    """Words for readers of both languages."""

    en: str = Field(min_length=10)
    zh: str = Field(min_length=4)


class Sealed(Record):
    """A stored result: the seal is a hash of everything else in it, so an edit by hand shows."""

    seal: str = ""

    def expected_seal(self) -> str:
        """The seal that belongs to the present content."""
        return digest(self.model_dump_json(exclude={"seal"}).encode())


Document = TypeVar("Document", bound=Sealed)
Row = TypeVar("Row", bound=Record)


def relative(path: Path) -> str:
    """The path as people write it: from the repository root where it lies inside."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def now() -> str:
    """The present moment in UTC, to the second, as ISO 8601."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def digest(*parts: bytes) -> str:
    """A short content hash: the first 16 hex digits of SHA-256 over the parts and their lengths."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(str(len(part)).encode() + b":" + part)
    return sha.hexdigest()[:16]


def pinned() -> dict[str, str]:
    """Distribution -> version, as requirements.txt pins them (of several, the first)."""
    pins: dict[str, str] = {}
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9_.-]+)==([^;\s]+)", line):
            pins.setdefault(match[1], match[2])
    return pins


def public_version(version: str) -> str:
    """The version without its local part: 2.13.0+cpu -> 2.13.0."""
    return version.partition("+")[0]


def write_atomically(path: Path, text: str) -> None:
    """Write the whole file or nothing: a reader, or a kill, never meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def stamp(path: Path) -> float:
    """When a data file was last written: the key of what is cached of it. Raises GuideError where it is missing."""
    try:
        return path.stat().st_mtime
    except OSError as error:
        raise GuideError(f"{relative(path)} cannot be read: {error.strerror}") from None


def cached(kind: str, key: str, make: Callable[[], str]) -> str:
    """The text that `make` gives for a key, made once and then read from .cache/<kind>/.

    The key must hold everything the text depends on.
    """
    path = CACHE / kind / digest(key.encode())
    if not path.exists():
        write_atomically(path, make())
    return path.read_text(encoding="utf-8")


def first_problem(error: ValidationError) -> str:
    """The first complaint of a schema, on one line."""
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else problem["msg"]


def load_json(path: Path, model: type[Document], mend: str) -> Document:
    """Read one stored result.

    Raises GuideError, with `mend` as the advice, where the file is unreadable, breaks its schema, or was
    edited after it was written.
    """
    try:
        document = model.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GuideError(f"{relative(path)} cannot be read ({error}); {mend}") from None
    except ValidationError as error:
        raise GuideError(f"{relative(path)} is not a valid result ({first_problem(error)}); {mend}") from None
    if document.seal != document.expected_seal():
        raise GuideError(f"{relative(path)} was changed after it was written; {mend}")
    return document


def load_yaml(path: Path) -> Any:
    """The content of a YAML file. Raises GuideError where it cannot be read."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the compiled one, several times faster
    try:
        return yaml.load(path.read_text(encoding="utf-8"), loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise GuideError(f"{relative(path)} cannot be read: {str(error).splitlines()[0]}") from None


def load_rows(path: Path, model: type[Row]) -> tuple[Row, ...]:
    """The rows of a YAML file that holds a list, read again when the file has changed.

    Raises GuideError, with the number of the row, for the first that breaks the schema.
    """
    return _load_rows(path, stamp(path), model)


@lru_cache(maxsize=256)
def _load_rows(path: Path, _stamp: float, model: type[Row]) -> tuple[Row, ...]:
    rows = load_yaml(path) or []
    if not isinstance(rows, list):
        raise GuideError(f"{relative(path)} must be a list of rows")
    found = []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(model.model_validate(row))
        except ValidationError as error:
            raise GuideError(f"{relative(path)}, row {number}: {first_problem(error)}") from None
    return tuple(found)


def save_json(path: Path, document: Sealed) -> None:
    """Seal and store one result, atomically, in a form that diffs well."""
    document.seal = document.expected_seal()
    write_atomically(path, document.model_dump_json(indent=1) + "\n")
