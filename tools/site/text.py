"""Words, numbers and links as pages print them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tools.project import GuideError, load_yaml


@lru_cache(maxsize=1)
def _labels() -> dict[str, dict[str, str]]:
    return load_yaml(Path(__file__).parent / "labels.yml")


def label(key: str, language: str, **values: object) -> str:
    """The words under a key of labels.yml in one language, filled in."""
    try:
        return _labels()[key][language].format(**values)
    except KeyError as error:
        raise GuideError(f"tools/site/labels.yml lacks {error} for {key} in {language}") from None


def number(value: float) -> str:
    """Three significant digits, no exponent where a plain number is short."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"


def seconds(value: float) -> str:
    """A duration in the unit people would use."""
    if value < 1e-3:
        return f"{number(value * 1e6)} µs"
    if value < 1:
        return f"{number(value * 1e3)} ms"
    return f"{number(value)} s"


def mebibytes(value: float) -> str:
    """A size in bytes as MiB."""
    return f"{number(value / 2**20)} MiB"


def percent(value: float) -> str:
    """A share of 1 as a percentage with one decimal."""
    return f"{value * 100:.1f}%"


def cell(text: str) -> str:
    """Text that is safe inside a Markdown table cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def markdown_table(head: list[str], rows: list[list[str]], align: str = "") -> str:
    """A Markdown table; align holds one of l, r for each column."""
    rule = ["---:" if c == "r" else "---" for c in align.ljust(len(head), "l")]
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(cell(c) for c in line) + " |" for line in lines)


def indent(text: str, by: int = 4) -> str:
    """Indent every non-empty line."""
    return "\n".join(" " * by + line if line else line for line in text.split("\n"))


def fence(text: str, info: str) -> str:
    """A fenced block longer than any run of backticks inside."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{info}\n{text.rstrip(chr(10))}\n{ticks}"
