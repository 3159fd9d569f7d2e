"""What changed between two sets of snippet results: outputs, and values beyond the usual tolerance."""

from __future__ import annotations

from pathlib import Path

from tools.project import LABELS
from tools.site.text import number
from tools.snippets import source, store
from tools.snippets.compare import TOLERANCE, difference, same_output


def changes(old: Path, new: Path) -> list[str]:
    """One Markdown line for each change from the results in `old` to those in `new`."""
    lines: list[str] = []
    for topic in source.topics():
        before, after = store.load(topic, old), store.load(topic, new)
        for framework, name in LABELS.items():
            left = before.sides.get(framework) if before else None  # type: ignore[call-overload]
            right = after.sides.get(framework) if after else None  # type: ignore[call-overload]
            where = f"- `{topic}`, {name}"
            if left and not right:
                lines.append(f"{where}: no result any more")
            if not (left and right):
                continue
            versions = "" if left.version == right.version else f" ({left.version} → {right.version})"
            for section, output in right.sections.items():
                stored = left.sections.get(section)
                if not (stored and same_output(topic, framework, section, stored.stdout, output.stdout)):
                    lines.append(f"{where}{versions}: section `{section}` prints something else")
            for key, value in right.values.items():
                apart = difference(left.values[key], value) if key in left.values else None
                if apart is None:
                    lines.append(f"{where}{versions}: value `{key}` has another shape or kind")
                elif apart > TOLERANCE:
                    lines.append(f"{where}{versions}: value `{key}` moved by {number(apart)}")
            gone = [f"section `{name}`" for name in left.sections if name not in right.sections]
            gone += [f"value `{name}`" for name in left.values if name not in right.values]
            lines += [f"{where}{versions}: {what} is gone" for what in gone]
    return lines
