"""From raw samples to medians, quartiles, ratios with intervals, and ties."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import median, quantiles

from tools.measure.schema import Campaign, Sample
from tools.project import cached

RESAMPLES = 9999

METRICS: dict[str, Callable[[Sample], float]] = {
    # The first epoch is warm-up: it holds compilation and the first call of every kernel.
    "epoch_seconds": lambda s: median(s.epoch_seconds[1:]),
    "data_seconds": lambda s: median(s.data_seconds[1:]),
    "first_step_seconds": lambda s: s.first_step_seconds,
    "import_seconds": lambda s: s.import_seconds,
    "build_seconds": lambda s: s.build_seconds,
    "peak_memory": lambda s: float(s.memory_peak - s.memory_after_import),
    "accuracy": lambda s: s.accuracy,
}
"""Name of a metric -> its one value for one run."""


@dataclass(frozen=True)
class Spread:
    """Median with quartiles over the runs."""

    median: float
    low: float
    high: float
    runs: int


@dataclass(frozen=True)
class Ratio:
    """Ratio of two medians with its 95% bootstrap interval."""

    ratio: float
    low: float
    high: float

    def within(self, noise: Ratio) -> bool:
        """Whether this ratio cannot be told from 1, or from what measuring the same thing twice gives."""
        return (self.low <= 1 <= self.high) or (self.low <= noise.high and self.high >= noise.low)


def values(campaign: Campaign, variant: str, metric: str) -> list[float]:
    """One number per run."""
    return [METRICS[metric](sample) for sample in campaign.of(variant)]


def spread(campaign: Campaign, variant: str, metric: str) -> Spread:
    """Median and quartiles of a metric."""
    runs = values(campaign, variant, metric)
    low, middle, high = quantiles(runs, n=4, method="inclusive") if len(runs) > 1 else runs * 3
    return Spread(middle, low, high, len(runs))


def ratio(campaign: Campaign, variant: str, metric: str) -> Ratio:
    """A variant's median over the baseline's, with a 95% percentile bootstrap interval over runs."""
    top, bottom = values(campaign, variant, metric), values(campaign, campaign.baseline, metric)
    return _ratio(tuple(top), tuple(bottom))


@lru_cache(maxsize=1024)
def _ratio(top: tuple[float, ...], bottom: tuple[float, ...]) -> Ratio:
    point = median(top) / median(bottom)
    if len(top) < 2 or len(bottom) < 2:
        return Ratio(point, point, point)
    low, high = json.loads(
        cached("intervals", repr((top, bottom, RESAMPLES)), lambda: json.dumps(_interval(top, bottom)))
    )
    return Ratio(point, low, high)


def _interval(top: tuple[float, ...], bottom: tuple[float, ...]) -> tuple[float, float]:
    """The seed is fixed, so the same samples give the same interval on every build."""
    # These take longer to import than most pages to build.
    import numpy as np
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)  # identical samples have no spread
        interval = stats.bootstrap(
            (top, bottom),
            lambda a, b, axis: np.median(a, axis=axis) / np.median(b, axis=axis),
            n_resamples=RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
    return float(interval.low), float(interval.high)


def noise(campaign: Campaign, metric: str) -> Ratio:
    """What the same variant measured twice gives: the ratio below which nothing is a difference."""
    return ratio(campaign, campaign.again, metric)
