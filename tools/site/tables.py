"""Tables and single numbers computed from what is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.measure import archive, statistics
from tools.measure.schema import Campaign, Variant, specs
from tools.project import FRAMEWORKS, LABELS, GuideError, pinned, public_version, relative
from tools.site import claims
from tools.site.text import label, markdown_table, mebibytes, number, percent, seconds
from tools.site.twins import Twin, plain
from tools.snippets import source

FORMATS = {"peak_memory": mebibytes, "accuracy": percent}
"""How a metric is printed; everything else is a duration in seconds."""


def value_text(metric: str, value: float) -> str:
    """One value of a metric, with its unit."""
    return FORMATS.get(metric, seconds)(value)


def newest_valid(workload: str) -> tuple[Path, Campaign]:
    """The newest measurement of the present code with the pinned versions, on whichever machine.

    Raises GuideError, with the command that mends it, where there is none.
    """
    if workload not in specs():
        raise GuideError(f"no workload is called {workload}; there are: {', '.join(specs())}")
    found = archive.newest(workload)
    mend = f"run: python -m tools measure {workload}"
    if not found:
        stored = archive.load_all(workload)
        why = f"changed since {relative(stored[-1][0])} was measured" if stored else "has never been measured"
        raise GuideError(f"workload {workload} {why}; {mend}")
    path, campaign = max(found.values(), key=lambda item: item[1].started)
    for distribution in FRAMEWORKS.values():
        version, pin = public_version(campaign.versions[distribution]), pinned()[distribution]
        if version != pin:
            raise GuideError(
                f"{relative(path)} was measured with {distribution} {version}, but requirements.txt pins {pin}; {mend}"
            )
    return path, campaign


def published(workload: str, book: Any) -> tuple[Campaign, str]:
    """The measurement that pages show and a link to its raw data, noted as run for the page's foot."""
    path, campaign = book.measurement(workload)
    for framework, distribution in FRAMEWORKS.items():
        book.note_run(f"{LABELS[framework]} {public_version(campaign.versions[distribution])}", campaign.started[:10])
    return campaign, book.publish(path)


def variant_name(variant: Variant, campaign: Campaign, language: str) -> str:
    """MindSpore, compiled, tuned."""
    parts = [
        LABELS[variant.framework],
        label("compiled" if variant.compiled else "eager", language),
        label("tuned" if variant.flags else "shipped", language),
    ]
    if variant.id == campaign.again:
        parts.append(label("again", language))
    return ("，" if language == "zh" else ", ").join(parts)


def find(campaign: Campaign, variant: str) -> Variant:
    """A variant of a measurement by id. Raises GuideError for an unknown one."""
    for candidate in campaign.variants:
        if candidate.id == variant:
            return candidate
    raise GuideError(
        f"{campaign.workload} has no variant {variant}; it has: {', '.join(v.id for v in campaign.variants)}"
    )


def ratio_text(ratio: statistics.Ratio, language: str) -> str:
    """A ratio with its interval."""
    return label("ratio_interval", language, ratio=number(ratio.ratio), low=number(ratio.low), high=number(ratio.high))


def _ratio_cell(campaign: Campaign, variant: Variant, metric: str, language: str) -> str:
    if variant.id == campaign.baseline:
        return label("baseline", language)
    ratio = statistics.ratio(campaign, variant.id, metric)
    text = f"{number(ratio.ratio)}×<br><small>{number(ratio.low)} – {number(ratio.high)}</small>"
    if variant.id != campaign.again and ratio.within(statistics.noise(campaign, metric)):
        return f"{text}<br><small>{label('tie', language)}</small>"
    return text


def bench_table(workload: str, language: str, book: Any) -> str:
    """Steady state of every variant: time per epoch, ratio to the baseline, waiting for data, accuracy, memory."""
    campaign, raw = published(workload, book)
    metrics = ("data_seconds", "accuracy", "peak_memory")
    head = [label("variant", language), label("metric_epoch_seconds", language), label("ratio", language)]
    head += [label(f"metric_{metric}", language) for metric in metrics]
    rows = []
    for variant in campaign.variants:
        time = statistics.spread(campaign, variant.id, "epoch_seconds")
        row = [
            variant_name(variant, campaign, language),
            f"{seconds(time.median)}<br><small>{seconds(time.low)} – {seconds(time.high)}</small>",
            _ratio_cell(campaign, variant, "epoch_seconds", language),
        ]
        row += [value_text(m, statistics.spread(campaign, variant.id, m).median) for m in metrics]
        rows.append(row)
    origin = f"{label('under', language)} {_origin(campaign, raw, language)}"
    return markdown_table(head, rows, "lrrrrr") + "\n\n" + origin


def first_call_table(workload: str, language: str, book: Any) -> str:
    """What comes before steady state: import, build, first step."""
    campaign, raw = published(workload, book)
    metrics = ("import_seconds", "build_seconds", "first_step_seconds", "epoch_seconds")
    head = [label("variant", language)] + [label(f"metric_{metric}", language) for metric in metrics]
    rows = [
        [variant_name(v, campaign, language)]
        + [value_text(m, statistics.spread(campaign, v.id, m).median) for m in metrics]
        for v in campaign.variants
        if v.id != campaign.again
    ]
    return markdown_table(head, rows, "lrrrr") + "\n\n" + _origin(campaign, raw, language)


def flags_table(workload: str, language: str, book: Any) -> str:
    """Which knobs each variant turns."""
    campaign, _ = published(workload, book)
    rows = [
        [
            variant_name(v, campaign, language),
            "、".join(f"`{f}`" for f in v.flags) if language == "zh" else ", ".join(f"`{f}`" for f in v.flags),
        ]
        for v in campaign.variants
        if v.flags
    ]
    return markdown_table([label("variant", language), label("flags", language)], rows)


def _origin(campaign: Campaign, raw: str, language: str) -> str:
    """Machine, versions, date, noise, sameness, the command, and the raw data: under every measured table."""
    noise = statistics.noise(campaign, "epoch_seconds")
    same = campaign.sameness.values()
    lines = [
        label(
            "measured_on",
            language,
            cpu=campaign.machine.cpu,
            cores=campaign.machine.cores,
            memory=number(campaign.machine.memory_gib),
            system=campaign.machine.system,
            threads=campaign.threads,
            versions=", ".join(f"{n} {public_version(v)}" for n, v in campaign.versions.items()),
            date=campaign.started[:10],
            runs=campaign.settings.runs,
        ),
        label("noise", language, noise=ratio_text(noise, language)),
        label(
            "sameness",
            language,
            parameters=f"{max(s.parameters for s in same):,}",
            batches=number(max(s.largest_batch_difference for s in same)),
            losses=number(max(s.largest_loss_difference for s in same)),
        ),
        label(
            "reproduce",
            language,
            command=f"python -m tools measure {campaign.workload} --profile {campaign.profile}",
            raw=raw,
        ),
    ]
    return " ".join(lines) + "\n{ .origin }"


def pairs_table(language: str, book: Any) -> str:
    """Every pair of snippet files with what was compared."""
    head = [label(k, language) for k in ("topic", "sections", "compared", "largest", "on_purpose")]
    rows = []
    for topic in source.topics():
        twin: Twin = book.twin(topic)
        compared = [a for n, a in twin.pair.agreement.items() if n not in twin.differs]
        largest = number(max((a.largest_difference or 0.0 for a in compared), default=0.0))
        rows.append([f"`{topic}`", str(len(twin.sections)), str(len(compared)), largest, str(len(twin.differs))])
    return markdown_table(head, rows, "lrrrr")


def versions_table(language: str) -> str:
    """Every direct requirement with its pin and why it is there, as requirements.txt says."""
    from tools.project import ROOT

    rows = []
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        pin, _, why = line.partition("#")
        if "==" in pin:
            name, _, version = pin.partition(";")[0].strip().partition("==")
            why = why.strip()
            rows.append([f"`{name}`", version, why if language == "en" else label(why, language)])
    return markdown_table([label(k, language) for k in ("package", "version", "role")], rows)


def claims_table(language: str, book: Any) -> str:
    """Every checked claim with its verdict, linked to the evidence."""
    up = "../" * book.here.count("/")
    rows = [
        [getattr(c.claim, language), f"[{label(f'verdict_{c.verdict}', language)}]({up}{c.evidence})"]
        for c in claims.claims().values()
    ]
    return markdown_table([label("statement", language), label("verdict", language)], rows)


def table(key: str, language: str, book: Any) -> str:
    """The table under a key. Raises GuideError for an unknown key."""
    kind, _, rest = key.partition(".")
    tables = {
        "bench": lambda: bench_table(rest, language, book),
        "first_call": lambda: first_call_table(rest, language, book),
        "flags": lambda: flags_table(rest, language, book),
        "pairs": lambda: pairs_table(language, book),
        "versions": lambda: versions_table(language),
        "claims": lambda: claims_table(language, book),
    }
    if kind not in tables:
        raise GuideError(f"no table is called {key}; kinds: differences, {', '.join(tables)}")
    return tables[kind]()


def measured(key: str, language: str, book: Any) -> str:
    """One number inside a sentence. Raises GuideError for an unknown key.

    bench.<workload>.<variant>.<metric>[.ratio|.interval], value.<topic>.<framework>.<name>,
    count.{pairs,sections,values,differences,claims}, count.claims.<verdict>.
    """
    kind, *rest = key.split(".")
    if kind == "bench" and len(rest) in (3, 4):
        return _bench_number(rest, language, book)
    if kind == "value" and len(rest) == 3:
        topic, framework, name = rest
        side = book.twin(topic).pair.sides.get(framework)
        if side is None or name not in side.values:
            raise GuideError(f"measured({key!r}): {topic} declares no value {name} for {framework}")
        value = side.values[name]
        is_number = not value.shape and not isinstance(value.data[0], str)
        return plain(value).strip("`") if is_number else plain(value)
    if kind == "count" and rest:
        return _count(rest, book)
    raise GuideError(f"no number is called {key}; see tools/site/tables.py, function measured")


def _bench_number(rest: list[str], language: str, book: Any) -> str:
    workload, variant, metric, *form = rest
    campaign, _ = published(workload, book)
    find(campaign, variant)
    if metric not in statistics.METRICS:
        raise GuideError(f"no metric is called {metric}; there are: {', '.join(statistics.METRICS)}")
    if form == ["ratio"]:
        return number(statistics.ratio(campaign, variant, metric).ratio)
    if form == ["interval"]:
        ratio = statistics.ratio(campaign, variant, metric)
        return f"{number(ratio.low)}–{number(ratio.high)}"
    return value_text(metric, statistics.spread(campaign, variant, metric).median)


def _count(rest: list[str], book: Any) -> str:
    if rest[0] == "claims":
        found = list(claims.claims().values())
        return str(len([c for c in found if c.verdict == rest[1]] if len(rest) > 1 else found))
    counts: dict[str, Callable[[list[Twin]], int]] = {
        "pairs": len,
        "sections": lambda twins: sum(len(t.sections) for t in twins),
        "values": lambda twins: sum(len(t.pair.agreement) for t in twins),
        "differences": lambda twins: sum(len(t.differs) for t in twins),
    }
    if rest[0] not in counts:
        raise GuideError(f"nothing is counted as {rest[0]}; there are: claims, {', '.join(counts)}")
    return str(counts[rest[0]]([book.twin(topic) for topic in source.topics()]))
