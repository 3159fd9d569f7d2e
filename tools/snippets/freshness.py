"""Which stored executions still stand for their files, and which files must run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools.project import FRAMEWORKS, GuideError, pinned, public_version
from tools.snippets import source, store
from tools.snippets.source import Snippet
from tools.snippets.store import FOLDER, Side


def staleness(snippet: Snippet, side: Side | None) -> str | None:
    """Why a stored execution no longer stands for its file; None while it does."""
    if side is None:
        return "has never run"
    if side.digest != snippet.digest:
        return "changed since it ran"
    pin = pinned()[FRAMEWORKS[snippet.framework]]
    if public_version(side.version) != pin:
        return f"ran with {FRAMEWORKS[snippet.framework]} {side.version}, but requirements.txt pins {pin}"
    return None


def stale(topics: Iterable[str], folder: Path = FOLDER) -> list[Snippet]:
    """Snippet files whose result is missing or stale, a broken result file counting as missing."""
    found = []
    for topic in topics:
        try:
            pair = store.load(topic, folder)
        except GuideError:
            pair = None  # unreadable: running again mends it
        for framework in FRAMEWORKS:
            snippet = source.snippet(framework, topic)
            if snippet and _must_run(snippet, pair.sides.get(framework) if pair else None):
                found.append(snippet)
    return found


def _must_run(snippet: Snippet, side: Side | None) -> bool:
    try:
        return staleness(snippet, side) is not None
    except GuideError:
        return True  # it does not parse: running it says so, and lets the others run
