"""Everything that can be checked without executing anything: data, pairs, results, languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tools.measure import campaign
from tools.measure.schema import specs
from tools.project import DOCS, FRAMEWORKS, LANGUAGES, RESULTS, GuideError, relative
from tools.site import claims
from tools.site.twins import Twin
from tools.snippets import source, store


def problems() -> list[str]:
    """Every problem found, one line each, with what mends it."""
    found: list[str] = []
    for check in (_pairs, _exceptions, _results, _workloads, _facts, _languages):
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


def _exceptions() -> Iterator[str]:
    """Each exception row still has something to except."""
    for number, row in enumerate(store.all_exceptions(), start=1):
        where = f"snippets/exceptions.yml, row {number} ({row.topic}, {row.kind})"
        if row.topic not in source.topics():
            yield f"{where}: there is no such topic; remove the row"
            continue
        snippets = [s for f in FRAMEWORKS if (s := source.snippet(f, row.topic))]
        if row.section and all(row.section not in s.sections for s in snippets):
            yield f"{where}: there is no section {row.section}; remove the row"
        pair = store.load(row.topic)
        if row.value and pair and row.value not in pair.agreement:
            yield f"{where}: no value is called {row.value}; remove the row"
        elif row.kind == "differs" and pair and pair.agreement[row.value or ""].agrees:
            yield f"{where}: the two sides agree on {row.value} now; remove the row"


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
            campaign.load_all(folder.name)


def _workloads() -> Iterator[str]:
    """Each workload has both files, and each file a workload."""
    for name in specs():
        campaign.workload_digest(name)
    for name in campaign.workloads_on_disk():
        if name not in specs():
            yield f"snippets/*/bench/{name}.py has no row in tools/measure/workloads.yml"


def _facts() -> Iterator[str]:
    """Facts and claims fit their schemas, and the evidence of each claim exists."""
    claims.facts()
    for row in claims.claims().values():
        for language in LANGUAGES:
            if not (DOCS / language / row.evidence.partition("#")[0]).is_file():
                yield f"facts/claims.yml, {row.id}: docs/{language}/{row.evidence} is missing"


def _languages() -> Iterator[str]:
    """Every page stands in both languages."""
    trees = {n: {p.relative_to(DOCS / n).as_posix() for p in (DOCS / n).rglob("*.md")} for n in LANGUAGES}
    for name in LANGUAGES:
        for page in sorted(set().union(*trees.values()) - trees[name]):
            yield f"docs/{name}/{page} is missing; the other language has it"
