"""The code blocks of the published pages, in the form in which pytest-codeblocks executes them.

    python -m tools.site.blocks SITE OUT

reads the rendered Markdown beside every page of SITE and writes tracks to OUT. A track is a Markdown file
with the blocks that one page shows of one snippet file, in page order and joined like the cells of a
notebook, and after them all that the page says they print. A page's other blocks form one more track, in
which each stands alone. Code is copied as the page shows it, byte for byte.

Every fenced block is executed, or is the output of one that is, or has a reason that the page states
(macro `not_executed`). One that is none of these is an error: nothing is skipped in silence.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tools.project import GuideError, write_atomically
from tools.snippets import store

RUNNABLE = ("python", "sh", "bash")
"""The info strings that pytest-codeblocks executes, to the letter."""

OPENING = re.compile(r"^(?P<indent>\s*)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
ORIGIN = re.compile(r"^\s*<!-- snippet: (?P<file>\S+) \[(?P<section>[\w-]+)\] -->\s*$")
REASON = re.compile(r"^\s*<!-- not-executed: (?P<reason>.+?) -->\s*$")
DETAILS = re.compile(r"^\s*\?\?\?\+? ")
ATTRIBUTES = re.compile(r"^\s*\{ .+ \}\s*$")
HEAD = "<!-- written by tools.site.blocks -->"
CONTINUED = "<!--pytest-codeblocks:cont-->"
EXPECTED = "<!--pytest-codeblocks:expected-output-->"


@dataclass(frozen=True)
class Fence:
    """One fenced block of a rendered page.

    `origin` and `section` say which snippet it shows, `reason` why the tests do not run it, and
    `output_of` at which line the executed block begins that printed it.
    """

    line: int
    indent: int
    info: str
    code: str
    origin: str | None = None
    section: str | None = None
    reason: str | None = None
    output_of: int | None = None

    @property
    def executed(self) -> bool:
        """Whether pytest-codeblocks is to run it."""
        return self.reason is None and self.info in RUNNABLE

    @property
    def accounted(self) -> bool:
        """Whether it is executed, or an output, or has a stated reason."""
        return self.executed or self.output_of is not None or self.reason is not None


@dataclass(frozen=True)
class Track:
    """A file for pytest-codeblocks: its name below the tracks' folder, its text, the blocks it executes."""

    name: str
    text: str
    fences: tuple[Fence, ...]


def fences(page: str) -> list[Fence]:
    """Every fenced block of a rendered page, at any indentation, in page order.

    A `text` block is the output of the executed block before it if nothing stands between them but blank
    lines or the head of a fold-out. A reason holds for the next block, if nothing stands between them but
    the sentence in which readers see it.
    """
    found: list[Fence] = []
    lines = enumerate(page.splitlines(), start=1)
    origin = section = reason = None
    printing: Fence | None = None
    for number, line in lines:
        if match := OPENING.match(line):
            indent = len(match["indent"])
            info = match["info"].strip()
            code = "".join(text[min(indent, _leading(text)) :] + "\n" for text in _until(lines, match["ticks"]))
            python = info == "python"
            fence = Fence(
                number,
                indent,
                info,
                code,
                origin=origin if python else None,
                section=section if python else None,
                reason=reason,
                output_of=printing.line if printing and info == "text" and reason is None else None,
            )
            found.append(fence)
            if fence.output_of is None:
                printing = fence if fence.executed else None
            origin = section = reason = None
        elif match := ORIGIN.match(line):
            origin, section = match["file"], match["section"]
            printing = None
        elif match := REASON.match(line):
            reason = match["reason"]
            printing = None
        elif line.strip() and not DETAILS.match(line):
            printing = None
            if reason and reason not in line and not ATTRIBUTES.match(line):
                reason = None
    return found


def _leading(text: str) -> int:
    return len(text) - len(text.lstrip())


def _until(lines: enumerate[str], ticks: str) -> list[str]:
    """The lines of a block, up to its closing line."""
    inside = []
    for _, line in lines:
        closing = line.strip()
        if len(closing) >= len(ticks) and not closing.strip(ticks[0]):
            break
        inside.append(line)
    return inside


def tracks(uri: str, page: str) -> list[Track]:
    """The tracks of the rendered page that lies at `uri` below the site."""
    found = fences(page)
    executed = sorted((f for f in found if f.executed), key=lambda f: f.origin or "")
    made = []
    for origin, group in groupby(executed, key=lambda f: f.origin):
        blocks = tuple(group)
        text = [HEAD, f"<!-- {uri}: {origin or 'blocks of its own'} -->"]
        if origin:
            text += [f"<!-- volatile: {pattern} -->" for pattern in _volatile(blocks)]
            text.append(f"\n{CONTINUED}\n".join(_fenced(b.code, b.info) for b in blocks))
            text += [EXPECTED, _fenced("".join(_printed(b, found) for b in blocks), "text")]
        else:
            for block in blocks:
                text.append(_fenced(block.code, block.info))
                printed = _printed(block, found)
                if printed or block.info == "python":
                    text += [EXPECTED, _fenced(printed, "text")]
        name = ".".join(Path(origin).with_suffix("").parts[1:]) if origin else "own"
        made.append(Track(f"{Path(uri).with_suffix('')}/{name}.md", "\n".join(text) + "\n", blocks))
    return made


def _printed(block: Fence, found: list[Fence]) -> str:
    """What the page shows under a block, without what is folded away (warnings and log lines)."""
    return "".join(f.code for f in found if f.output_of == block.line and f.indent == block.indent)


def _fenced(code: str, info: str) -> str:
    """A fence around code that ends in a newline, longer than any run of backticks in it."""
    ticks = "```"
    while ticks in code:
        ticks += "`"
    return f"{ticks}{info}\n{code}{ticks}"


def _volatile(blocks: tuple[Fence, ...]) -> list[str]:
    """What the exceptions declare to change from run to run in the output of these sections."""
    _, framework, *topic = Path(blocks[0].origin or "").with_suffix("").parts
    shown = {block.section for block in blocks}
    rows = [row for row in store.exceptions("/".join(topic), "volatile") if row.section in shown]
    return [row.lines for row in rows if row.lines and row.framework in (None, framework)]


def unaccounted(uri: str, page: str) -> list[str]:
    """One line for every block of a page that the tests would skip in silence."""
    return [
        f"{uri}:{f.line}: the tests would skip this block in silence; its info string is {f.info!r}: "
        f'use {", ".join(RUNNABLE)}, or state a reason with {{{{ not_executed("…") }}}} before it'
        for f in fences(page)
        if not f.accounted
    ]


def pages(site: Path) -> dict[str, str]:
    """The rendered Markdown of every page of a built site, by its path below the site.

    Raises GuideError where there is none.
    """
    found = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.md"))}
    if not found:
        raise GuideError(f"{site} holds no rendered page; run: python -m tools site")
    return found


def write(site: Path, out: Path) -> list[Track]:
    """Write the tracks of every page below `out`, in place of those of an earlier call.

    Raises GuideError where a block would be skipped in silence, or `out` holds Markdown of other kinds.
    """
    found = pages(site)
    if problems := [line for uri, page in found.items() for line in unaccounted(uri, page)]:
        raise GuideError("\nerror: ".join(problems))
    old = sorted(out.rglob("*.md"))
    for path in old:
        if not path.read_text(encoding="utf-8").startswith(HEAD):
            raise GuideError(f"{path} was not written by this command; name a folder of its own")
    for path in old:
        path.unlink()
    made = [track for uri, page in found.items() for track in tracks(uri, page)]
    for track in made:
        write_atomically(out / track.name, track.text)
    return made


def main(arguments: list[str]) -> None:
    """The command line; what a person can mend ends in one line and status 1."""
    if len(arguments) != 2:
        raise SystemExit("usage: python -m tools.site.blocks SITE OUT")
    try:
        made = write(Path(arguments[0]), Path(arguments[1]))
    except GuideError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print(f"{sum(len(t.fences) for t in made)} blocks in {len(made)} tracks, {arguments[1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
