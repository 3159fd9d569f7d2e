"""The repository's own documents and workflows: what they tell people and CI to run really exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import textwrap
from pathlib import Path

import pytest
import typer
import yaml

from tools.__main__ import app
from tools.project import FRAMEWORKS, ROOT
from tools.snippets import compare, pool, run
from tools.snippets.source import Snippet
from tools.snippets.store import Exception_

READMES = ("README.md", "README.zh.md")
DOCUMENTS = (*READMES, "CONTRIBUTING.md", "CHANGELOG.md")
WORKFLOWS = tuple(sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / ".github/workflows").glob("*.yml")))

FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, str]]:
    """Language and content of every fenced block, without the indentation of a list."""
    return [(kind, textwrap.dedent(body)) for kind, body in FENCE.findall(text(name))]


def headings(name: str) -> list[str]:
    """The level of every heading, in order, fences left out."""
    return re.findall(r"^(#+) ", FENCE.sub("", text(name)), re.MULTILINE)


def steps(workflow: str) -> list[dict]:
    return [step for job in yaml.safe_load(text(workflow))["jobs"].values() for step in job["steps"]]


def scripts(workflow: str) -> list[str]:
    return [step["run"] for step in steps(workflow) if "run" in step]


def commands(name: str) -> list[str]:
    """Every line that a document shows as code, or that a workflow runs."""
    if name in WORKFLOWS:
        return [line for script in scripts(name) for line in script.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", FENCE.sub("", text(name)))
    return inline + [line for kind, body in blocks(name) if kind == "sh" for line in body.splitlines()]


def targets_of_make() -> list[str]:
    """Every target that `make help` lists, in its order."""
    command = ["make", "--no-print-directory", "help"]  # a make below `make test` prints where it is
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [line.split()[1] for line in printed.splitlines()]


@pytest.mark.parametrize("name", [*DOCUMENTS, *WORKFLOWS])
def test_named_commands_exist(name: str) -> None:
    """No document and no workflow names a make target, tool command or option that is not there."""
    targets = targets_of_make()
    for line in commands(name):
        for target in re.findall(r"\bmake(?: [A-Z]+=\S+)* ([a-z][a-z-]*)", line):
            assert target in targets, f"{name} names make {target}"
        for used in re.findall(r"python -m tools ([^|>`]*)", line):
            command, *arguments = shlex.split(used)
            if command == "--help":
                continue
            assert command in COMMANDS, f"{name} names python -m tools {command}"
            options = {option for parameter in COMMANDS[command].params for option in parameter.opts}
            for argument in arguments:
                assert not argument.startswith("-") or argument in options, f"{name}: tools {command} has no {argument}"


def test_the_commands_are_really_found() -> None:
    """The patterns above see the commands: an empty list would pass every check."""
    for name in READMES:
        assert {"make serve", "make test", ".venv/bin/python -m tools run softmax"} <= set(commands(name))
    assert "make test" in commands(".github/workflows/site.yml")
    assert any("-m tools compare" in line for line in commands(".github/workflows/newest.yml"))


@pytest.mark.parametrize("name", READMES)
def test_every_target_is_explained(name: str) -> None:
    """A new target gets its line in both READMEs, and a removed one leaves them."""
    assert re.findall(r"^\| `make ([a-z-]+)` \|", text(name), re.MULTILINE) == targets_of_make()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_local_links_exist(name: str) -> None:
    """Files, pictures and headings that a document links are there."""
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text(name)))
    assert targets
    for target in (t for t in targets if not t.startswith("https://")):
        path, _, anchor = target.partition("#")
        assert (ROOT / path).exists(), f"{name} links {target}"
        if anchor:
            titles = re.findall(r"^#+ (.+)$", text(path), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in slugs, f"{name} links {target}"


def test_both_readmes_say_the_same() -> None:
    """The Chinese README has the English one's headings, code, picture, links and table rows."""
    english, chinese = READMES
    assert headings(english) == headings(chinese)
    assert blocks(english) == blocks(chinese)
    links = [re.findall(r"\]\(([^)\s]+)\)", text(name).replace("README.zh.md", "README.md")) for name in READMES]
    assert links[0] == links[1]
    assert len(re.findall(r"^\|", text(english), re.MULTILINE)) == len(re.findall(r"^\|", text(chinese), re.MULTILINE))


def test_the_pair_of_the_readme_works(tmp_path: Path) -> None:
    """Whoever copies the README's pair gets files that run, sections that match and values that agree."""
    files = [body for kind, body in blocks("README.md") if kind == "python"]
    sides = {}
    for framework, body in zip(FRAMEWORKS, files, strict=True):
        path = tmp_path / framework / "softmax.py"
        path.parent.mkdir()
        path.write_text(body, encoding="utf-8")
        outcome = pool.execute(Snippet(path, framework, "softmax"))
        assert outcome.failure is None
        assert list(outcome.snippet.shown) == ["probabilities"]
        sides[framework] = run.side(outcome)
        assert sides[framework].sections["probabilities"].stdout.strip()
    found = compare.agreement("softmax", sides["pytorch"], sides["mindspore"])
    assert found["probabilities"].agrees
    assert '{{ twin("softmax.probabilities") }}' in text("README.md")


def test_the_row_of_the_readme_is_valid() -> None:
    """The exception row that the README shows fits the schema."""
    rows = [row for kind, body in blocks("README.md") if kind == "yaml" for row in yaml.safe_load(body)]
    assert [Exception_.model_validate(row).kind for row in rows] == ["differs"]


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_workflow_is_sound(workflow: str) -> None:
    """Permissions are stated, jobs end in time, actions are pinned by major version, scripts are shell."""
    parsed = yaml.safe_load(text(workflow))
    assert parsed[True], "YAML reads the key `on` as true"
    assert set(parsed["permissions"].values()) <= {"read"}, "a job asks for what it writes, not the workflow"
    for name, job in parsed["jobs"].items():
        assert job["runs-on"] and job["timeout-minutes"], name
        assert set(job.get("needs", "").split()) <= set(parsed["jobs"]), name
    for action in (step["uses"] for step in steps(workflow) if "uses" in step):
        assert re.fullmatch(r"actions/[a-z-]+@v\d+", action), action
    for step in steps(workflow):
        for path in step.get("with", {}).get("cache-dependency-path", "").split():
            assert (ROOT / path).is_file(), path
    for script in scripts(workflow):
        assert "${{" not in script, "an expression inside a script is code from outside; pass it as env"
        subprocess.run(["bash", "-n", "-c", script], check=True)


def test_only_main_is_published_and_only_after_the_tests() -> None:
    """No branch and no pull request reaches the site, and nothing untested does."""
    jobs = yaml.safe_load(text(".github/workflows/site.yml"))["jobs"]
    assert any(step.get("run") == "make test" for step in jobs["test"]["steps"])
    assert jobs["build"]["needs"] == "test"
    assert jobs["build"]["if"] == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert jobs["deploy"]["needs"] == "build"
    writers = {name for name, job in jobs.items() if "write" in job.get("permissions", {}).values()}
    assert writers == {"deploy"}


def test_new_releases_never_run_beside_a_token_that_writes() -> None:
    """The weekly job that installs unpinned packages may only read; another one opens the issue."""
    jobs = yaml.safe_load(text(".github/workflows/newest.yml"))["jobs"]
    assert jobs["compare"]["permissions"] == {"contents": "read"}
    assert jobs["tell"]["permissions"] == {"issues": "write"}
    assert not any("pip" in step.get("run", "") for step in jobs["tell"]["steps"])


def test_licences_are_there() -> None:
    """Code and text each have their licence: the whole text of one, the address of the other's."""
    assert "Version 2.0, January 2004" in text("LICENSE") and "END OF TERMS AND CONDITIONS" in text("LICENSE")
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in text("LICENSE-TEXT")
