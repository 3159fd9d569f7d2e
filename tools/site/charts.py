"""Static inline SVG charts, one drawing for both colour schemes, readable on a phone."""

from __future__ import annotations

import json
import math
import re
from html import escape
from pathlib import Path
from typing import Any

from tools.measure import statistics
from tools.project import LABELS, GuideError, cached
from tools.site.tables import published, value_text, variant_name
from tools.site.text import label

# Stand-ins that the SVG renderer accepts as colours; the page's style sheet decides what they look like.
COLOURS = {
    "#111111": "--guide-ink",
    "#222222": "--guide-grid",
    "#333333": "--guide-pytorch",
    "#444444": "--guide-mindspore",
}


def chart(key: str, language: str, book: Any) -> str:
    """An inline SVG with a text alternative: chart("bench.<workload>.<metric>"). Raises GuideError otherwise."""
    kind, _, rest = key.partition(".")
    workload, _, metric = rest.rpartition(".")
    if kind != "bench" or metric not in statistics.METRICS:
        raise GuideError(f"no chart is called {key}; form: bench.<workload>.<metric>")
    campaign, _ = published(workload, book)
    title = label(f"metric_{metric}", language)
    rows = []
    for variant in campaign.variants:
        if variant.id == campaign.again:
            continue
        spread = statistics.spread(campaign, variant.id, metric)
        name = variant_name(variant, campaign, language)
        rows.append({
            "name": name, "framework": LABELS[variant.framework],
            "median": spread.median, "low": spread.low, "high": spread.high,
            "text": value_text(metric, spread.median),
        })  # fmt: skip
    drawing = json.dumps(rows, ensure_ascii=False) + Path(__file__).read_text(encoding="utf-8")
    svg = cached("charts", drawing, lambda: render(dot_plot(rows, logarithmic=metric.endswith("seconds"))))
    alt = escape(label("chart_alt", language, metric=title), quote=True)
    caption = label("chart_caption", language, metric=title) if metric.endswith("seconds") else title
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1)
    return f'<figure class="chart" markdown="0">{svg}<figcaption>{escape(caption)}</figcaption></figure>'


def dot_plot(rows: list[dict[str, Any]], logarithmic: bool) -> dict[str, Any]:
    """A Vega-Lite dot plot: one line a row, a dot at the median, a bar over the quartiles, the number beside."""
    import altair as alt  # lazily, as vl_convert: only a new drawing needs them

    ink, grid = "#111111", "#222222"
    order = [row["name"] for row in rows]
    low, high = min(r["low"] for r in rows), max(r["high"] for r in rows)
    scale = alt.Scale(type="log", domain=[low / 1.6, high * 2.2], nice=False) if logarithmic else alt.Scale(zero=True)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(orient="left", labelLimit=240)),
        color=alt.Color(
            "framework:N",
            scale=alt.Scale(domain=["PyTorch", "MindSpore"], range=["#333333", "#444444"]),
            legend=None,
        ),
    )
    axis = alt.Axis(grid=True, format="~g", values=powers(low, high)) if logarithmic else alt.Axis(grid=True)
    bars = base.mark_rule(strokeWidth=3, opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title=None, axis=axis), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(x="median:Q")
    texts = base.mark_text(align="left", dx=9, fontSize=12).encode(x="high:Q", text="text:N")
    drawing = (bars + dots + texts).properties(width=250, height=alt.Step(30))
    drawing = drawing.configure(background="transparent", font="sans-serif").configure_view(stroke=None)
    drawing = drawing.configure_axis(
        labelColor=ink, domainColor=grid, tickColor=grid, gridColor=grid, labelFontSize=12, gridOpacity=0.35
    )
    return drawing.to_dict()


def powers(low: float, high: float) -> list[float]:
    """The powers of ten around a range: the only grid lines a logarithmic axis needs."""
    return [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def render(spec: dict[str, Any]) -> str:
    """The SVG of a Vega-Lite specification.

    Fixed sizes become a viewBox that scales down; stand-in colours become style-sheet variables.
    """
    import vl_convert

    return _scalable(vl_convert.vegalite_to_svg(json.dumps(spec)))


def _scalable(svg: str) -> str:
    svg = svg[svg.index("<svg") :]
    width = re.search(r'width="([\d.]+)"', svg)
    svg = re.sub(r' (width|height)="[\d.]+"', "", svg, count=2)
    for colour, variable in COLOURS.items():
        svg = svg.replace(colour, f"var({variable})")
    style = f' style="max-width:{float(width[1]) * 1.25:.0f}px"' if width else ""
    return svg.replace("<svg", f"<svg{style}", 1).replace("\n", "").replace("#000", "currentColor").strip()
