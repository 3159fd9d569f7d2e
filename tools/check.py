"""Everything that can be checked without executing anything: data, pairs, results, languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tools.measure import archive
from tools.measure.schema import specs
from tools.project import DOCS, FRAMEWORKS, LANGUAGES, RESULTS, GuideError, relative
from tools.site import claims
from tools.site.documentation import links
from tools.site.questions import questions
from tools.site.twins import Twin
from tools.snippets import source, store
from tools.snippets.compare import TOLERANCE


def problems() -> list[str]:
    """Every problem found, one line each, with what mends it."""
    found: list[str] = []
    for check in (_pairs, _unseen, _exceptions, _results, _workloads, _facts, _links, _claims, _questions, _languages):
        found += _collected(check)
    return list(dict.fromkeys(found))


def _collected(check: Callable[[], Iterator[str]]) -> list[str]:
    lines: list[str] = []
    try:
        for line in check():
            lines.append(line)
    except GuideError as error:
        lines.append(str(error))
    return lines


def notes() -> list[str]:
    """What is not wrong but wants attention: facts past their shelf life."""
    return [f"fact {row.id} is from {row.as_of}: {row.recount}" for row in claims.facts().values() if row.old]


def _pairs() -> Iterator[str]:
    """Each pair is whole, up to date, in agreement, and its sections show all they use."""
    for topic in source.topics():
        try:
            for snippet in Twin(topic).snippets.values():
                _ = snippet.shown
        except GuideError as error:
            yield str(error)


def _unseen() -> Iterator[str]:
    """Each section is shown by some page. Benchmarks are shown by their measurements."""
    prose = "".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / LANGUAGES[0]).rglob("*.md")))
    shown = set(re.findall(r"twin\([\"']([^\"']+)[\"']\)", prose))
    for topic in source.topics():
        if topic.startswith("bench/"):
            continue
        sections = dict.fromkeys(n for f in FRAMEWORKS if (s := source.snippet(f, topic)) for n in s.sections)
        for name in sections:
            if f"{topic}.{name}" not in shown:
                twin = f'{{{{ twin("{topic}.{name}") }}}}'
                yield f"no page shows section {name} of {topic}; add {twin} to one, or remove the section"


def _exceptions() -> Iterator[str]:
    """Each exception row still has something to except."""
    for topic in store.exception_topics():
        for number, row in enumerate(store.exceptions(topic), start=1):
            if why := _excepts_nothing(topic, row):
                yield f"snippets/exceptions/{topic}.yml, row {number} ({row.kind}): {why}; remove the row"


def _excepts_nothing(topic: str, row: store.Exception_) -> str | None:
    """Why a row is of no use; None while it is."""
    if topic not in source.topics():
        return "there is no such topic"
    standing = [s.framework for f in FRAMEWORKS if (s := source.snippet(f, topic)) and _stands(row, s)]
    if not standing:
        return f"there is no section {row.section}"
    if row.kind == "one_side" and standing != [row.framework]:
        where = "both sides" if len(standing) == 2 else f"the side of {standing[0]}"
        return f"{f'section {row.section}' if row.section else 'the topic'} stands on {where}"
    pair = store.load(topic)
    if pair is None:
        return None
    if row.kind == "volatile":
        sides = [side for f, side in pair.sides.items() if row.framework in (None, f)]
        outputs = [side.sections[row.section or ""] for side in sides if row.section in side.sections]
        printed = "".join(output.stdout + output.stderr for output in outputs).splitlines()
        matches = any(re.search(row.lines or "", line) for line in printed)
        return None if matches else f"no line of {row.section} matches it"
    if row.value is None:
        return None
    agreement = pair.agreement.get(row.value)
    if agreement is None:
        return f"no value is called {row.value}"
    if row.kind == "differs" and agreement.agrees:
        return f"the two sides agree on {row.value} now"
    apart = agreement.largest_difference
    if row.kind == "tolerance" and apart is not None and apart <= TOLERANCE:
        return f"{row.value} agrees without it now"
    return None


def _stands(row: store.Exception_, snippet: source.Snippet) -> bool:
    return row.section is None or row.section in snippet.sections


def _results() -> Iterator[str]:
    """Each stored result can be trusted and still belongs to something."""
    for path in sorted((RESULTS / "snippets").rglob("*.json")):
        topic = path.relative_to(RESULTS / "snippets").with_suffix("").as_posix()
        if topic not in source.topics():
            yield f"{relative(path)} belongs to no snippet; remove it"
        else:
            store.load(topic)
    for folder in sorted(p for p in (RESULTS / "bench").glob("*") if p.is_dir()):
        if folder.name not in specs():
            yield f"{relative(folder)} belongs to no workload; remove it"
        else:
            archive.load_all(folder.name)


def _workloads() -> Iterator[str]:
    """Each workload has both files, and each file a workload."""
    for name in specs():
        archive.workload_digest(name)
    for name in archive.workloads_on_disk():
        if name not in specs():
            yield f"snippets/*/bench/{name}.py has no row in tools/measure/workloads.yml"


def _facts() -> Iterator[str]:
    """Facts fit their schema."""
    claims.facts()
    yield from ()


def _links() -> Iterator[str]:
    """Links to official documentation fit their schema."""
    links()
    yield from ()


def _claims() -> Iterator[str]:
    """Claims fit their schema, and the evidence of each exists."""
    for row in claims.claims().values():
        for language in LANGUAGES:
            if not (DOCS / language / row.evidence.partition("#")[0]).is_file():
                yield f"facts/claims.yml, {row.id}: docs/{language}/{row.evidence} is missing"


def _questions() -> Iterator[str]:
    """Each question stands once, and the heading that answers it is there in both languages."""
    seen = set()
    for row in questions():
        if row.id in seen:
            yield f"facts/questions.yml: {row.id} stands twice"
        seen.add(row.id)
        page, _, heading = row.page.partition("#")
        for path in (DOCS / language / page for language in LANGUAGES):
            if not path.is_file():
                yield f"facts/questions.yml, {row.id}: {relative(path)} is missing"
            elif not re.search(rf"^#.*\{{ ?#{heading} ?\}}", path.read_text(encoding="utf-8"), re.MULTILINE):
                yield f"facts/questions.yml, {row.id}: {relative(path)} has no heading #{heading}"


def _languages() -> Iterator[str]:
    """Every page stands in both languages."""
    trees = {n: {p.relative_to(DOCS / n).as_posix() for p in (DOCS / n).rglob("*.md")} for n in LANGUAGES}
    for name in LANGUAGES:
        for page in sorted(set().union(*trees.values()) - trees[name]):
            yield f"docs/{name}/{page} is missing; the other language has it"
