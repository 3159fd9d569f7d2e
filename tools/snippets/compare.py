"""How far the two sides of a pair lie apart."""

from __future__ import annotations

import math
import re

from tools.snippets import store
from tools.snippets.store import Agreement, Side, Value

TOLERANCE = 1e-6
"""Largest difference at which two values agree: absolute up to 1, relative above."""


def difference(left: Value, right: Value) -> float | None:
    """Largest element-wise difference, absolute up to magnitude 1 and relative above.

    Equal not-a-numbers, infinities and strings differ by 0. None where shapes or kinds of data differ.
    """
    if left.shape != right.shape or len(left.data) != len(right.data):
        return None
    return max((_apart(a, b) for a, b in zip(left.data, right.data, strict=True)), default=0.0)


def _apart(a: float | bool | str, b: float | bool | str) -> float:
    if a == b and isinstance(a, str) == isinstance(b, str):
        return 0.0
    if isinstance(a, str) or isinstance(b, str):
        return math.inf
    return abs(a - b) / max(1.0, abs(a), abs(b))


def agreement(topic: str, pytorch: Side, mindspore: Side) -> dict[str, Agreement]:
    """Compare every value that either side declares; the exceptions supply the wider tolerances."""
    wider = {row.value: row.tolerance for row in store.exceptions(topic, "tolerance")}
    found: dict[str, Agreement] = {}
    for name in [*pytorch.values, *(n for n in mindspore.values if n not in pytorch.values)]:
        left, right = pytorch.values.get(name), mindspore.values.get(name)
        apart = difference(left, right) if left and right else None
        if apart is not None and math.isinf(apart):
            apart = None
        tolerance = wider.get(name) or TOLERANCE
        found[name] = Agreement(
            largest_difference=apart,
            tolerance=tolerance,
            agrees=apart is not None and apart <= tolerance,
        )
    return found


def same_output(topic: str, framework: str, section: str, stored: str, printed: str) -> bool:
    """Whether a section printed again what is stored, lines that an exception declares volatile apart."""
    rows = [r for r in store.exceptions(topic, "volatile") if r.section == section]
    patterns = [r.lines for r in rows if r.lines and r.framework in (None, framework)]

    def steady(text: str) -> list[str]:
        return [line for line in text.splitlines() if not any(re.search(p, line) for p in patterns)]

    return steady(stored) == steady(printed)
