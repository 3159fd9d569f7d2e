"""Measurements on disk: where they lie, whether they still fit the code, and which one is shown."""

from __future__ import annotations

from pathlib import Path

from tools.measure.schema import Campaign, spec
from tools.project import CACHE, FRAMEWORKS, RESULTS, SNIPPETS, GuideError, digest, load_json
from tools.snippets.source import repository_imports, snippet

FOLDER = RESULTS / "bench"
SMOKE_FOLDER = CACHE / "bench"


def workload_digest(workload: str) -> str:
    """Hash of what is measured: the code of both files, and the workload's row."""
    parts = [spec(workload).model_dump_json(exclude={"profiles"}).encode()]
    for framework in FRAMEWORKS:
        file = snippet(framework, f"bench/{workload}")
        if file is None:
            raise GuideError(f"snippets/{framework}/bench/{workload}.py is missing")
        texts = [file.text, *(path.read_text(encoding="utf-8") for path in repository_imports(file.path))]
        parts += [_code(text).encode() for text in texts]
    return digest(*parts)


def _code(text: str) -> str:
    """The lines that are code: a comment of its own line can change without a new measurement."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))


def folder_of(workload: str, profile: str) -> Path:
    """Where campaigns are stored: smoke runs prove that things run and are never published."""
    return (SMOKE_FOLDER if profile == "smoke" else FOLDER) / workload


def load_all(workload: str, profile: str = "default") -> list[tuple[Path, Campaign]]:
    """Every stored campaign of a workload, oldest first. Raises GuideError for one that cannot be trusted."""
    folder = folder_of(workload, profile)
    mend = "remove it, or restore it from git"
    return [(path, load_json(path, Campaign, mend)) for path in sorted(folder.glob("*.json"))]


def newest(workload: str) -> dict[str, tuple[Path, Campaign]]:
    """Machine id -> its newest finished campaign of the code as it is now."""
    current = workload_digest(workload)
    found = {}
    for path, campaign in load_all(workload):
        if campaign.finished and campaign.digest == current and campaign.profile != "smoke":
            found[campaign.machine.id] = (path, campaign)
    return found


def workloads_on_disk() -> list[str]:
    """Workloads that have a file in at least one framework's bench folder."""
    return sorted({p.stem for f in FRAMEWORKS for p in (SNIPPETS / f / "bench").glob("*.py")})
