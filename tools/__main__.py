"""The command line: each command is a few lines that call the module that does the work."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tools.project import GuideError, relative

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=__doc__,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Keeps `run` a sub-command however many there are."""


@app.command()
def run(
    names: Annotated[list[str] | None, typer.Argument(help="Topics or snippet files; all for none.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Execute even what is up to date.")] = False,
    into: Annotated[str | None, typer.Option(help="Store into this folder instead of results/snippets.")] = None,
) -> None:
    """Execute the snippets whose result is missing or stale, and compare the two sides."""
    from pathlib import Path

    from tools.snippets import freshness, source
    from tools.snippets import run as runner
    from tools.snippets.store import FOLDER

    topics = runner.choose(names or [])
    folder = Path(into) if into else FOLDER
    if force:
        snippets = [s for t in topics for f in runner.FRAMEWORKS if (s := source.snippet(f, t))]
    else:
        snippets = freshness.stale(topics, folder)
    runner.report(runner.run(snippets, folder))
    print(f"{len(snippets)} executed, {len(topics)} topics up to date")


@app.command()
def measure(
    workloads: Annotated[list[str] | None, typer.Argument(help="Workloads; all for none.")] = None,
    profile: Annotated[str, typer.Option(help="default, full, or smoke (quick, never published).")] = "default",
    missing: Annotated[bool, typer.Option("--missing", help="Only what this machine has not measured.")] = False,
) -> None:
    """Measure workloads on this machine, going on where an interrupted measurement stopped."""
    from rich.console import Console

    from tools.measure import archive, campaign, machine
    from tools.measure.schema import specs

    here = machine.describe().id
    for workload in workloads or list(specs()):
        if missing and here in archive.newest(workload):
            print(f"{workload}: already measured on this machine")
            continue
        path, result = campaign.run(workload, profile)
        Console().print(campaign.costs(result))
        print(f"stored in {relative(path)}")


@app.command()
def site(
    url: Annotated[str | None, typer.Option(help="Address where the site will be published.")] = None,
) -> None:
    """Build both languages into site/, strictly."""
    from tools.site.build import build_site

    build_site(site_url=url)


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
) -> None:
    """Serve both languages at one address with live reload."""
    from tools.site.serve import serve as serve_site

    serve_site(host, port)


@app.command()
def check() -> None:
    """Check data, pairs, results and languages without executing anything."""
    from tools import check as checks

    found = checks.problems()
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    if found:
        raise SystemExit(1)
    for note in checks.notes():
        print(f"note: {note}")
    print("data, pairs, results and languages are in order")


@app.command()
def compare(old: str, new: str) -> None:
    """Say what changed between two folders of snippet results, for example from two versions."""
    from pathlib import Path

    from tools.snippets.changes import changes

    found = changes(Path(old), Path(new))
    print("\n".join(found) or "nothing changed")


def main() -> None:
    """Run the command line; what a person can mend ends in one line and status 1."""
    try:
        app()
    except GuideError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except SystemExit as end:
        if end.code == 130:  # what typer makes of Ctrl+C
            print("stopped; what was finished is stored", file=sys.stderr)
        raise


if __name__ == "__main__":
    main()
