"""Measuring: what the numbers mean, that only equal work is timed, and that no finished run is ever lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from worlds import SmallRepository, World, one_line

from tools.measure import archive, campaign, schema, statistics
from tools.measure.schema import Campaign, Machine, Profile, Sample, Variant
from tools.measure.statistics import Ratio
from tools.project import GuideError, load_json

# A workload that needs no framework. Each option makes it misbehave in one way; every measured run of it
# leaves a line in the file runs.log.
TINY = """
import os, signal, sys
import numpy as np


class Workload:
    def __init__(self, **options):
        self.options = options
        self.weights = np.ones(2 + options.get("other_shape", False)) + 0.5 * options.get("other_weights", False)

    def start(self):
        if self.options.get("raises"):
            raise RuntimeError("the workload\\nis broken")
        if self.options.get("leaves"):
            os._exit(0)
        if self.options.get("crashes"):
            os.kill(os.getpid(), signal.SIGSEGV)

    def parameters(self):
        return {"weights": self.weights}

    def batches(self, epoch):
        return [(np.arange(2.0) + step + 3 * self.options.get("other_batches", False),) for step in range(2)]

    def step(self, batch):
        if self.options.get("diverges"):
            return np.float32("nan")
        return np.float32(4.0 if self.options.get("other_losses") else 2.0)

    def evaluate(self):
        if self.options.get("later"):
            raise RuntimeError("fails when it is measured")
        with open("RUNS", "a") as log:
            log.write("measured\\n")
        return 7.0 if self.options.get("nonsense") else 0.5
"""

ROW = {
    "threads": 1,
    "baseline": "first",
    "again": "first-again",
    "loss_tolerance": 1e-4,
    "profiles": {"default": {"runs": 3, "epochs": 2}, "smoke": {"runs": 1, "epochs": 2, "steps": 1}},
    "variants": [
        {"id": "first", "framework": "pytorch"},
        {"id": "second", "framework": "mindspore"},
        {"id": "first-again", "framework": "pytorch"},
    ],
}
ORDER = [v["id"] for v in ROW["variants"]] * 3


class Measuring:
    """A small repository whose only workload is tiny."""

    def __init__(self, repository: SmallRepository) -> None:
        self.repository = repository
        self.folder = repository.root / "results" / "bench" / "tiny"
        self.log = repository.root / "runs.log"
        temporary = repository.root / "tmp"  # what a killed campaign leaves behind goes with the test
        temporary.mkdir()
        repository.environment["TMPDIR"] = str(temporary)
        for framework in ("pytorch", "mindspore"):
            text = TINY.replace('"RUNS"', repr(str(self.log)))
            repository.write(f"snippets/{framework}/bench/tiny.py", text)
        self.specify()

    def specify(self, **options: bool) -> None:
        """Write workloads.yml; the second variant gets these options."""
        first, second, again = ROW["variants"]
        row = ROW | {"variants": [first, second | {"options": options}, again]}
        self.repository.write("tools/measure/workloads.yml", yaml.safe_dump({"tiny": row}))

    def change(self, old: str, new: str) -> None:
        """Change the code of one side."""
        path = self.repository.root / "snippets" / "pytorch" / "bench" / "tiny.py"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def stored(self) -> list[Campaign]:
        """Every stored campaign, oldest first; each must be whole and sealed."""
        return [load_json(path, Campaign, "") for path in sorted(self.folder.glob("*.json"))]

    def runs(self) -> int:
        """How many runs were really measured, whether stored or not."""
        return self.log.read_text().count("measured") if self.log.exists() else 0

    def measure_until(self, samples: int) -> subprocess.Popen[str]:
        """Start measuring; returns once so many samples are stored. The file is valid whenever it is read."""
        process = self.repository.start("measure", "tiny")
        while not (found := self.stored()) or len(found[-1].samples) < samples:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        return process


@pytest.fixture
def measuring(repository: SmallRepository) -> Measuring:
    """The command line in a small repository."""
    return Measuring(repository)


def order(found: Campaign) -> list[str]:
    """Variants in the order in which they were measured."""
    return [sample.variant for sample in found.samples]


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line with which a command failed, after its progress; its last and its only error."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.stderr.endswith(f"{line}\n")
    return line


# Campaigns, really run


def test_a_campaign_interleaves_its_variants_and_never_replaces_another(measuring: Measuring) -> None:
    done = measuring.repository.tools("measure", "tiny")
    assert done.returncode == 0, done.stderr
    (found,) = measuring.stored()
    assert order(found) == ORDER
    assert [sample.run for sample in found.samples] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert set(found.sameness) == set(ORDER)
    assert found.finished is not None
    assert all(len(sample.epoch_seconds) == 2 for sample in found.samples)
    for variant in set(ORDER):
        assert f"{variant} " in done.stdout
    (path,) = measuring.folder.iterdir()
    assert f"stored in {path.relative_to(measuring.repository.root)}" in done.stdout

    before = path.read_bytes()
    done = measuring.repository.tools("measure", "--missing")
    assert done.stdout == "tiny: already measured on this machine\n"
    assert (measuring.runs(), path.read_bytes()) == (9, before)

    assert measuring.repository.tools("measure", "tiny").returncode == 0
    assert (len(measuring.stored()), measuring.runs(), path.read_bytes()) == (2, 18, before)


def test_a_campaign_killed_half_way_goes_on_where_it_stopped(measuring: Measuring) -> None:
    """kill -9: no finished sample is lost and none is measured twice."""
    process = measuring.measure_until(samples=4)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (killed,) = measuring.stored()
    kept, measured = len(killed.samples), measuring.runs()
    assert 4 <= kept < len(ORDER)
    assert killed.finished is None

    process = measuring.measure_until(samples=kept + 1)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert f"tiny: going on with {kept} stored samples, {len(ORDER) - kept} to go" in err
    (resumed,) = measuring.stored()
    assert resumed.samples[:kept] == killed.samples
    assert resumed.sameness == killed.sameness
    assert order(resumed) == ORDER
    assert resumed.finished is not None
    assert measuring.runs() - measured == len(ORDER) - kept


def test_ctrl_c_says_one_line_and_keeps_what_was_measured(measuring: Measuring) -> None:
    process = measuring.measure_until(samples=2)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.endswith("\nstopped; what was finished is stored\n")
    (found,) = measuring.stored()
    assert len(found.samples) >= 2
    assert found.finished is None


def test_samples_of_changed_code_are_not_mixed_with_earlier_ones(measuring: Measuring) -> None:
    process = measuring.measure_until(samples=1)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (killed,) = measuring.stored()
    measuring.change("np.arange(2.0)", "np.arange(2.0) * 1.0")
    done = measuring.repository.tools("measure", "tiny")
    assert done.returncode == 0, done.stderr
    assert "going on with" not in done.stderr
    earlier, later = measuring.stored()
    assert earlier == killed
    assert order(later) == ORDER


def test_a_reworded_comment_does_not_make_measurements_stale(measuring: Measuring) -> None:
    assert measuring.repository.tools("measure", "tiny").returncode == 0
    measuring.change("class Workload", "# A comment.\nclass Workload")
    assert measuring.repository.tools("measure", "--missing").stdout == "tiny: already measured on this machine\n"
    measuring.change("class Workload", "MORE = 1\nclass Workload")
    assert "already measured" not in measuring.repository.tools("measure", "--missing").stdout


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (
            "later",
            "error: tiny, second: snippets/mindspore/bench/tiny.py, line 32: RuntimeError: fails when it is measured",
        ),
        ("nonsense", "error: tiny, second: measured nonsense: accuracy: Input should be less than or equal to 1"),
    ],
)
def test_a_run_that_fails_ends_the_campaign_and_keeps_the_finished_ones(
    measuring: Measuring, option: str, expected: str
) -> None:
    measuring.specify(**{option: True})
    done = measuring.repository.tools("measure", "tiny")
    assert error_line(done).startswith(expected)
    (found,) = measuring.stored()
    assert order(found) == ["first"]
    assert found.finished is None


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("other_weights", "tiny: second does other work than first: they differ by 0.5 (parameters"),
        ("other_batches", "tiny: second does other work than first: they differ by 3 (parameters"),
        ("other_losses", "tiny: second does other work than first: they differ by 2 (parameters"),
        ("diverges", "tiny: second does other work than first: they differ by nan (parameters"),
        ("other_shape", "second does other work than the baseline: parameter.weights is not the same in both"),
        ("raises", "tiny, second: snippets/mindspore/bench/tiny.py, line 13: RuntimeError: the workload is broken"),
        ("crashes", "tiny, second: ended by SIGSEGV"),
        ("leaves", "tiny, second: ended before it had measured anything"),
    ],
)
def test_no_time_is_taken_of_a_variant_that_does_other_work(measuring: Measuring, option: str, expected: str) -> None:
    measuring.specify(**{option: True})
    done = measuring.repository.tools("measure", "tiny")
    assert error_line(done).startswith(f"error: {expected}")
    assert (measuring.runs(), measuring.stored()) == (0, [])


def test_a_smoke_run_is_never_published(measuring: Measuring) -> None:
    done = measuring.repository.tools("measure", "tiny", "--profile", "smoke")
    assert done.returncode == 0, done.stderr
    assert measuring.stored() == []
    assert len(list((measuring.repository.root / ".cache" / "bench" / "tiny").glob("*.json"))) == 1


def test_a_tampered_campaign_is_refused_and_left_alone(measuring: Measuring) -> None:
    """A time made smaller by hand neither counts nor is overwritten."""
    assert measuring.repository.tools("measure", "tiny").returncode == 0
    (path,) = measuring.folder.iterdir()
    document = json.loads(path.read_text())
    document["samples"][0]["epoch_seconds"][1] = 1e-9
    path.write_text(json.dumps(document))
    tampered = path.read_bytes()
    done = measuring.repository.tools("measure", "tiny")
    assert done.returncode == 1
    assert done.stderr == (
        f"error: {path.relative_to(measuring.repository.root)} was changed after it was written; "
        "remove it, or restore it from git\n"
    )
    assert path.read_bytes() == tampered
    assert measuring.runs() == 9


# Sameness


def test_sameness_is_the_largest_difference_of_each_kind() -> None:
    reference = {
        "parameter.a": np.array([1.0, 2.0]),
        "parameter.b": np.array([[3.0]]),
        "batch.0.0": np.array([5, 6], np.uint8),
        "loss.0": np.array(0.5),
    }
    found = reference | {"parameter.b": np.array([[3.25]]), "batch.0.0": np.array([6, 4], np.uint8)}
    same = campaign.compare(reference, found, "variant")
    assert same.parameters == 3
    assert same.largest_parameter_difference == 0.25
    assert same.largest_batch_difference == 2.0  # unsigned integers must not wrap around
    assert same.largest_loss_difference == 0.0


@pytest.mark.parametrize("kind", ["parameter", "batch", "loss"])
def test_a_difference_that_is_no_number_is_not_overlooked(kind: str) -> None:
    """max() skips a not-a-number that does not come first."""
    reference = {f"{k}.{n}": np.array([1.0]) for k in ("parameter", "batch", "loss") for n in range(3)}
    same = campaign.compare(reference, reference | {f"{kind}.1": np.array([np.nan])}, "variant")
    assert np.isnan(getattr(same, f"largest_{kind}_difference"))


@pytest.mark.parametrize("kind", ["parameter", "batch", "loss"])
def test_a_variant_that_shows_nothing_is_refused(kind: str) -> None:
    found = {f"{k}.0": np.array([1.0]) for k in ("parameter", "batch", "loss") if k != kind}
    with pytest.raises(GuideError, match=f"^variant has no {kind} to compare$"):
        campaign.compare(found, found, "variant")


def test_a_missing_loss_is_refused() -> None:
    found = {"parameter.0": np.array([1.0]), "batch.0": np.array([1.0]), "loss.0": np.array(1.0)}
    with pytest.raises(GuideError, match="^variant does other work than the baseline: loss.1 is not the same"):
        campaign.compare(found | {"loss.1": np.array(1.0)}, found, "variant")


# Statistics


def sampled(**epochs: list[float]) -> Campaign:
    """A campaign with made-up samples: for each variant one steady epoch a run, after a slow first one."""
    samples = [
        Sample(
            variant=variant,
            run=run,
            started="2026-01-01T00:00:00Z",
            import_seconds=1,
            build_seconds=1,
            first_step_seconds=2,
            epoch_seconds=[100.0, seconds, seconds, 50.0 * seconds],
            data_seconds=[10.0, 0.5, 0.5],
            losses=[1.0],
            accuracy=0.9,
            memory_after_import=1000,
            memory_peak=1500,
            wall_seconds=10,
        )
        for variant, runs in epochs.items()
        for run, seconds in enumerate(runs)
    ]
    return Campaign(
        workload="made-up",
        profile="default",
        digest="",
        started="",
        machine=Machine(id="m", cpu="", cores=2, memory_gib=1, system="", instruction_sets=[], python=""),
        versions={},
        threads=1,
        settings=Profile(runs=5, epochs=4),
        baseline="base",
        again="again",
        variants=[Variant(id=name, framework="pytorch") for name in epochs],
        samples=samples,
    )


def test_a_metric_is_the_median_over_runs_with_quartiles() -> None:
    found = sampled(base=[4.0, 1.0, 3.0, 2.0, 100.0])
    spread = statistics.spread(found, "base", "epoch_seconds")
    assert (spread.median, spread.low, spread.high, spread.runs) == (3.0, 2.0, 4.0, 5)


def test_the_first_epoch_is_warm_up_and_does_not_count() -> None:
    found = sampled(base=[2.0])
    assert statistics.values(found, "base", "epoch_seconds") == [2.0]
    assert statistics.values(found, "base", "data_seconds") == [0.5]
    assert statistics.values(found, "base", "first_step_seconds") == [2.0]


def test_memory_is_the_peak_less_what_the_import_took() -> None:
    assert statistics.values(sampled(base=[1.0]), "base", "peak_memory") == [500.0]


def test_a_ratio_divides_medians_and_has_an_interval() -> None:
    found = sampled(base=[1.0, 1.1, 0.9, 1.0, 1.05], other=[2.0, 2.3, 1.9, 2.1, 2.0])
    ratio = statistics.ratio(found, "other", "epoch_seconds")
    assert ratio.ratio == pytest.approx(2.0)
    assert 1.9 / 1.1 <= ratio.low < ratio.ratio < ratio.high <= 2.3 / 0.9


def test_the_same_samples_give_the_same_interval_on_every_build() -> None:
    base, other = np.random.default_rng(1).lognormal(size=(2, 12)).tolist()
    assert len({statistics._interval(tuple(other), tuple(base)) for _ in range(3)}) == 1


def test_identical_samples_have_an_interval_of_no_width() -> None:
    ratio = statistics.ratio(sampled(base=[1.0] * 5, other=[3.0] * 5), "other", "epoch_seconds")
    assert (ratio.low, ratio.ratio, ratio.high) == (3.0, 3.0, 3.0)


def test_a_single_run_has_no_interval() -> None:
    ratio = statistics.ratio(sampled(base=[2.0], other=[3.0]), "other", "epoch_seconds")
    assert (ratio.low, ratio.ratio, ratio.high) == (1.5, 1.5, 1.5)


@pytest.mark.parametrize(
    ("ratio", "tie"),
    [
        (Ratio(1.01, 0.95, 1.08), True),  # may be 1
        (Ratio(1.05, 1.03, 1.08), True),  # is not 1, but no more than measuring the same thing twice gives
        (Ratio(0.95, 0.93, 0.98), True),
        (Ratio(1.10, 1.07, 1.20), False),
        (Ratio(0.80, 0.75, 0.90), False),
        (Ratio(3.00, 2.90, 3.10), False),
    ],
)
def test_a_difference_inside_the_noise_is_a_tie(ratio: Ratio, tie: bool) -> None:
    assert ratio.within(Ratio(1.01, 0.96, 1.04)) is tie


def test_a_ratio_that_may_be_one_is_a_tie_on_a_drifting_machine() -> None:
    """There, measuring the same thing twice need not give 1."""
    assert Ratio(0.98, 0.95, 1.01).within(Ratio(1.05, 1.03, 1.07))


def test_the_noise_is_the_baseline_measured_twice() -> None:
    found = sampled(base=[1.0] * 5, again=[1.25] * 5, other=[2.0] * 5)
    noise = statistics.noise(found, "epoch_seconds")
    assert (noise.low, noise.high) == (1.25, 1.25)
    assert not statistics.ratio(found, "other", "epoch_seconds").within(noise)


# What is measured, as data


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"threads": 0}, "threads: Input should be greater than 0"),
        ({"loss_tolerance": 0}, "loss_tolerance: Input should be greater than 0"),
        ({"baseline": "third"}, "no variant is called third"),
        ({"again": "third"}, "no variant is called third"),
        ({"profiles": {"default": {"runs": 0, "epochs": 2}}}, "profiles.default.runs: Input should be greater"),
        ({"profiles": {"default": {"runs": 1, "epochs": 1}}}, "profiles.default.epochs: Input should be greater"),
        ({"profiles": {"quick": {"runs": 1, "epochs": 2}}}, "profiles.quick.[key]: Input should be 'default'"),
        ({"variants": [ROW["variants"][0]] * 2}, "a variant id stands twice"),
        ({"variants": [{"id": "A b", "framework": "pytorch"}]}, "variants.0.id: String should match pattern"),
        ({"variants": [{"id": "a", "framework": "jax"}]}, "variants.0.framework: Input should be 'pytorch'"),
        ({"variants": [{"id": "a", "framework": "pytorch", "option": {}}]}, "variants.0.option: Extra inputs"),
        ({"seed": 1}, "seed: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_workload_that_makes_no_sense_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict, expected: str
) -> None:
    path = tmp_path / "workloads.yml"
    path.write_text(yaml.safe_dump({"fine": ROW, "tiny": ROW | change}))
    monkeypatch.setattr(schema, "SPECS", path)
    with pytest.raises(GuideError) as caught:
        schema.spec("fine")
    assert one_line(str(caught.value))
    assert str(caught.value).startswith(f"{path}, tiny: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ["tiny: [", "", "- tiny\n"])
def test_a_workloads_file_that_maps_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    path = tmp_path / "workloads.yml"
    path.write_text(text)
    monkeypatch.setattr(schema, "SPECS", path)
    with pytest.raises(GuideError) as caught:
        schema.specs()
    assert one_line(str(caught.value))
    assert str(caught.value).startswith(str(path))


def test_the_digest_of_a_workload_is_of_what_is_measured(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both files, what they import, and the row; neither comments nor how often it is measured."""
    path = world.root / "workloads.yml"
    monkeypatch.setattr(schema, "SPECS", path)

    def digest(text: str = "x = 1\n", helper: str = "y = 1\n", **change: object) -> str:
        (world.snippets / "common").mkdir(exist_ok=True)
        (world.snippets / "common" / "helper.py").write_text(helper)
        world.write("from snippets.common import helper\n", "pytorch", "bench/tiny")
        world.write(text, "mindspore", "bench/tiny")
        path.write_text(yaml.safe_dump({"tiny": ROW | change}))
        schema._specs.cache_clear()
        return archive.workload_digest("tiny")

    assert digest("# a comment\n\nx = 1  \n") == digest()
    assert digest(profiles={"default": {"runs": 9, "epochs": 9}}) == digest()
    different = [digest(), digest("x = 2\n"), digest(helper="y = 2\n"), digest(threads=2)]
    assert len(set(different)) == 4
    (world.snippets / "mindspore" / "bench" / "tiny.py").unlink()
    with pytest.raises(GuideError, match=r"^snippets/mindspore/bench/tiny.py is missing$"):
        archive.workload_digest("tiny")
