"""What is measured and what is stored of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from tools.project import GuideError, Record, Sealed, first_problem, load_yaml, relative, stamp

SPECS = Path(__file__).parent / "workloads.yml"


class Variant(Record):
    """One way of running a workload: framework, options of its Workload class, environment variables."""

    id: str = Field(pattern="^[a-z0-9-]+$")
    framework: Literal["pytorch", "mindspore"]
    options: dict[str, bool] = {}
    env: dict[str, str] = {}

    @property
    def compiled(self) -> bool:
        """Whether the step is compiled (torch.compile, mindspore.jit)."""
        return self.options.get("compiled", False)

    @property
    def flags(self) -> list[str]:
        """Every knob that is not as shipped."""
        return [name for name in self.options if name != "compiled"] + [f"{k}={v}" for k, v in self.env.items()]


class Profile(Record):
    """How much is measured: runs per variant, epochs per run, and a cap on the steps of an epoch."""

    runs: int = Field(gt=0)
    epochs: int = Field(gt=1, description="the first is warm-up and kept apart")
    steps: int | None = Field(default=None, gt=0)


class Spec(Record):
    """One workload of workloads.yml."""

    threads: int = Field(gt=0)
    baseline: str
    again: str
    loss_tolerance: float = Field(gt=0)
    profiles: dict[Literal["default", "full", "smoke"], Profile]
    variants: list[Variant]

    @model_validator(mode="after")
    def _names_fit(self) -> Spec:
        ids = [v.id for v in self.variants]
        if len(set(ids)) < len(ids):
            raise ValueError("a variant id stands twice")
        if missing := {self.baseline, self.again} - set(ids):
            raise ValueError(f"no variant is called {', '.join(sorted(missing))}")
        return self


class Machine(Record):
    """The machine as far as it bears on speed; nothing that identifies its owner."""

    id: str = Field(pattern="^[a-z0-9-]+$")
    cpu: str
    cores: int
    memory_gib: float
    system: str
    instruction_sets: list[str]
    python: str


class Sample(Record):
    """What one fresh process measured. Durations in seconds, memory in bytes."""

    variant: str
    run: int
    started: str
    import_seconds: float = Field(ge=0)
    build_seconds: float = Field(ge=0)
    first_step_seconds: float = Field(gt=0, description="first batch and first step, compilation included")
    epoch_seconds: list[float] = Field(min_length=2)
    data_seconds: list[float] = Field(min_length=2, description="part of each epoch spent waiting for batches")
    losses: list[float] = Field(description="loss of the last step of each epoch")
    accuracy: float = Field(ge=0, le=1)
    memory_after_import: int = Field(gt=0)
    memory_peak: int = Field(gt=0)
    wall_seconds: float = Field(gt=0, description="the whole process, start to end: what the sample cost")


class Sameness(Record):
    """How a variant compared with the baseline before any time was taken."""

    parameters: int = Field(description="number of trained scalars, equal on both")
    largest_parameter_difference: float
    largest_batch_difference: float
    largest_loss_difference: float


class Campaign(Sealed):
    """One measurement of one workload on one machine: results/bench/<workload>/<started>-<machine>.json."""

    workload: str
    profile: Literal["default", "full", "smoke"]
    digest: str
    started: str
    finished: str | None = None
    machine: Machine
    versions: dict[str, str]
    threads: int
    settings: Profile
    baseline: str
    again: str
    variants: list[Variant]
    sameness: dict[str, Sameness] = {}
    samples: list[Sample] = []

    def of(self, variant: str) -> list[Sample]:
        """Samples of one variant."""
        return [s for s in self.samples if s.variant == variant]


@lru_cache(maxsize=2)
def _specs(path: Path, _stamp: float) -> dict[str, Spec]:
    rows = load_yaml(path)
    if not isinstance(rows, dict):
        raise GuideError(f"{relative(path)} must map the name of each workload to its row")
    found = {}
    for name, row in rows.items():
        try:
            found[name] = Spec.model_validate(row)
        except ValidationError as error:
            raise GuideError(f"{relative(path)}, {name}: {first_problem(error)}") from None
    return found


def specs() -> dict[str, Spec]:
    """All workloads. Raises GuideError where the file breaks its schema."""
    return _specs(SPECS, stamp(SPECS))


def spec(workload: str) -> Spec:
    """One workload. Raises GuideError for an unknown name."""
    if workload not in specs():
        raise GuideError(f"no workload is called {workload}; there are: {', '.join(specs())}")
    return specs()[workload]
