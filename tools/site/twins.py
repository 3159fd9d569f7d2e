"""The `twin` macro and its kin: a pair of sections with code, real output and the agreement line."""

from __future__ import annotations

from functools import cached_property

from tools.project import FRAMEWORKS, LABELS, GuideError
from tools.site.text import fence, indent, label, markdown_table, number
from tools.snippets import freshness, source, store
from tools.snippets.source import Snippet
from tools.snippets.store import Agreement, Pair, Value


class Twin:
    """One topic as pages use it: both files, their stored executions, and the exceptions.

    Raises GuideError when a result is missing or stale, or a disagreement or gap has no reason.
    """

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.mend = f"run: python -m tools run {topic}"
        if topic not in source.topics():
            raise GuideError(f"no snippet is called {topic}; the topics are: {', '.join(source.topics())}")
        pair = store.load(topic)
        if pair is None:
            raise GuideError(f"{topic} has never run; {self.mend}")
        self.pair: Pair = pair
        self.snippets: dict[str, Snippet] = {}
        for framework in FRAMEWORKS:
            if snippet := source.snippet(framework, topic):
                if why := freshness.staleness(snippet, pair.sides.get(framework)):
                    raise GuideError(f"snippets/{framework}/{topic}.py {why}; {self.mend}")
                self.snippets[framework] = snippet
        self.one_side = {row.section: row for row in store.exceptions(topic, "one_side")}
        self.differs = {row.value: row for row in store.exceptions(topic, "differs")}
        self.wider = {row.value: row for row in store.exceptions(topic, "tolerance")}
        self.volatile = {row.section: row for row in store.exceptions(topic, "volatile")}
        for problem in problems(self):
            raise GuideError(problem)

    @cached_property
    def sections(self) -> list[str]:
        """Names of all sections, in file order."""
        return list(dict.fromkeys(name for s in self.snippets.values() for name in s.sections))

    def values_of(self, section: str) -> dict[str, Agreement]:
        """Compared values that belong to a section: named like it, or beginning with its name and _."""
        return {n: a for n, a in self.pair.agreement.items() if self.owner(n) == section}

    def owner(self, value: str) -> str | None:
        """The section that a value belongs to: the longest one whose name it has or begins with."""
        owners = [s for s in self.sections if value == s or value.startswith(f"{s}_")]
        return max(owners, key=len, default=None)


def problems(twin: Twin) -> list[str]:
    """What is wrong with a topic and has no exception: missing partner or section, disagreement."""
    found = []
    mend = f"or add a row with the reason to snippets/exceptions/{twin.topic}.yml"
    for framework in FRAMEWORKS:
        if framework not in twin.snippets:
            if None not in twin.one_side:
                found.append(f"snippets/{framework}/{twin.topic}.py is missing; write it, {mend}")
            continue
        for name in twin.sections:
            if name not in twin.snippets[framework].sections and not {name, None} & set(twin.one_side):
                found.append(f"snippets/{framework}/{twin.topic}.py lacks section {name}; write it, {mend}")
    for name, agreement in twin.pair.agreement.items():
        if not agreement.agrees and name not in twin.differs:
            apart = agreement.largest_difference
            how = "cannot be compared" if apart is None else f"differ by {number(apart)}"
            found.append(f"{twin.topic}: the two values of {name} {how}; fix it, {mend}")
    return found


def plain(value: Value | None) -> str:
    """A stored value in one line of code style."""
    if value is None:
        return "–"
    data = [number(x) if isinstance(x, float) else str(x) for x in value.data]
    if not value.shape:
        return f"`{data[0]}`"
    text = ", ".join(data[:8]) + (", …" if len(data) > 8 else "")
    if len(value.shape) > 1:
        shape = "×".join(map(str, value.shape))
        return f"`[{text}]` ({shape})"
    return f"`[{text}]`"


def both(twin: Twin, name: str) -> tuple[str, str]:
    """A value's two sides, PyTorch first."""
    sides = twin.pair.sides
    return tuple(plain(sides[f].values.get(name)) if f in sides else "–" for f in FRAMEWORKS)  # type: ignore[return-value]


def twin_markdown(twin: Twin, section: str, language: str, link: dict[str, str]) -> str:
    """Tabs with code and output of a section on both sides, then the agreement line.

    link maps each framework to the address of its whole file, and `result` to the stored result.
    """
    if section not in twin.sections:
        raise GuideError(f"{twin.topic} has no section {section}; it has: {', '.join(twin.sections)}")
    tabs = []
    for framework, snippet in twin.snippets.items():
        if section in snippet.sections:
            tabs.append(f'=== "{LABELS[framework]}"\n\n{indent(_tab(twin, framework, section, language))}')
    summary, remarks = _agreement(twin, section, language), _remarks(twin, section, language)
    files = " · ".join(f"[{LABELS[f]}]({link[f]})" for f in twin.snippets)
    whole = label("files", language, files=files, result=link["result"])
    if len(remarks) > 1:  # a list: as one paragraph nobody would read them
        foot = f"{summary} {whole}".strip() + "\n\n" + "\n".join(f"- {remark}" for remark in remarks)
    else:
        foot = " ".join(filter(None, [summary, *remarks, whole]))
    foot = f'<div class="agreement" markdown>\n\n{foot}\n\n</div>'
    return "\n\n".join([f'<div class="twin" id="twin-{section}" markdown>', *tabs, "</div>", foot])


def _why(row: store.Exception_, language: str) -> str:
    return getattr(row.reason, language)


def _tab(twin: Twin, framework: str, section: str, language: str) -> str:
    snippet = twin.snippets[framework]
    shown = snippet.shown[section]
    output = twin.pair.sides[framework].sections[section]  # type: ignore[index]
    parts = [f"<!-- snippet: snippets/{framework}/{twin.topic}.py [{section}] -->"]
    if shown.continues:
        names = ", ".join(f"`{name}`" for name in shown.continues)
        parts.append(label("continues", language, sections=names) + "\n{ .continues }")
    parts.append(fence(shown.code, "python"))
    if output.stdout.strip():
        parts.append(fence(output.stdout, "text"))
    if output.stderr.strip():
        inner = fence(output.stderr, "text")
        parts.append(f'??? note "{label("warnings", language)}"\n\n{indent(inner)}')
    return "\n\n".join(parts)


def _remarks(twin: Twin, section: str, language: str) -> list[str]:
    """What the exceptions say about a section, a sentence or two each."""
    found = []
    if row := twin.one_side.get(section):
        found.append(label("one_side", language, framework=LABELS[row.framework or ""], reason=_why(row, language)))
    for name in twin.values_of(section):
        if row := twin.differs.get(name):
            left, right = both(twin, name)
            text = label("differs", language, value=name, pytorch=left, mindspore=right, reason=_why(row, language))
            found.append(text)
        elif row := twin.wider.get(name):
            found.append(label("wider", language, value=name, reason=_why(row, language)))
    if row := twin.volatile.get(section):
        found.append(label("volatile", language, reason=_why(row, language)))
    return found


def _agreement(twin: Twin, section: str, language: str) -> str:
    """How closely the values of a section agree, those apart that are meant to differ."""
    own = twin.values_of(section)
    key, values = ("agrees", own) if own else ("agrees_all", twin.pair.agreement)
    compared = {n: a for n, a in values.items() if n not in twin.differs}
    if compared:
        worst = max(a.largest_difference or 0.0 for a in compared.values())
        tolerance = max(a.tolerance for a in compared.values())
        text = label(key, language, count=len(compared), difference=number(worst), tolerance=number(tolerance))
        return f"✓ {text}"
    return label("nothing_compared", language) if not own and len(twin.snippets) > 1 else ""


def differences_table(twin: Twin, language: str) -> str:
    """Every declared value that differs on purpose: both measured values and the reason.

    Search leaves it out: the pairs say the same, and a table of so many words would win over them.
    """
    rows = []
    for name, row in twin.differs.items():
        left, right = both(twin, name or "")
        owner = twin.owner(name or "")
        what = f"<code>{(name or '').replace('_', '_<wbr>')}</code>"
        what = f"[{what}](#twin-{owner})" if owner else what
        rows.append([what, left, right, _why(row, language)])
    head = [label("what", language), LABELS["pytorch"], LABELS["mindspore"], label("why", language)]
    return f'<div class="differences" data-search-exclude markdown>\n\n{markdown_table(head, rows)}\n\n</div>'
