"""Both languages at one address, with live reload: a saved snippet runs again, then the page shows it."""

from __future__ import annotations

import errno
import logging
import signal
import tempfile
import time
from pathlib import Path

from mkdocs.livereload import LiveReloadServer
from rich.console import Console

from tools.project import DOCS, FACTS, ROOT, SNIPPETS, GuideError
from tools.site.build import Builder
from tools.snippets import freshness, pool, run, source
from tools.snippets.source import Snippet


def serve(host: str, port: int) -> None:
    """Execute what is stale, build, serve until interrupted.

    Raises GuideError where a snippet fails at the start, the first build fails, or the port is taken.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a kill ends the workers too, as Ctrl+C does
    console = Console(stderr=True)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    with Builder() as builder, tempfile.TemporaryDirectory(prefix="guide-live-") as folder:
        live = Path(folder) / "site"
        address = f"http://{host}:{port}/"

        built_from: list[tuple] = []

        def rebuild() -> list[str]:
            # Returns problems instead of raising them: after an exception the server answers no request.
            started = time.perf_counter()
            problems: list[str] = []
            snippets: list[Snippet] = []
            try:
                snippets = freshness.stale(source.topics())
                problems = run.run(snippets, console=Console(stderr=True, quiet=True))
                if built_from != [inputs()]:
                    problems += builder.build(live, address)
                    built_from[:] = [] if problems else [inputs()]
                elif not problems:
                    problems = builder.refresh(live, {s.topic for s in snippets}, address)
            except GuideError as error:
                problems.append(str(error))
            for problem in problems:
                console.print(f"error: {problem}", style="red", markup=False, highlight=False)
            spent = time.perf_counter() - started
            console.print(f"{len(snippets)} snippet(s) executed, pages built in {spent:.1f} s", highlight=False)
            return problems

        server = LiveReloadServer(rebuild, host=host, port=port, root=str(live), polling_interval=0.3)
        try:
            server.server_bind()
        except OverflowError:
            raise GuideError(f"there is no port {port}; choose one from 1024 to 65535") from None
        except OSError as error:
            why = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used on {host} ({error.strerror})"
            raise GuideError(f"port {port} {why}; run: make serve PORT={port + 1}") from None
        server.server_bind = lambda: None  # type: ignore[method-assign]  # bound above, before the work
        pool.warm_up()
        failures = run.run(freshness.stale(source.topics()), console=console)
        if failures:
            raise GuideError("\nerror: ".join(failures))
        if rebuild():
            raise GuideError("the first build failed")
        server.error_handler = lambda code: _page(live / f"{code}.html")
        for path in (DOCS, SNIPPETS, FACTS, ROOT / "mkdocs.yml", ROOT / "mkdocs.zh.yml"):
            server.watch(str(path))
        console.print(f"serving {address} and {address}zh/ (Ctrl+C ends it)", highlight=False)
        try:
            server.serve()
        finally:
            server.shutdown()


def inputs() -> tuple:
    """What pages are made of besides snippets: when it changes, everything is built again."""
    files = [p for folder in (DOCS, FACTS, SNIPPETS / "exceptions") for p in sorted(folder.rglob("*")) if p.is_file()]
    files += [ROOT / "mkdocs.yml", ROOT / "mkdocs.zh.yml"]
    return (tuple(source.topics()), tuple((str(p), p.stat().st_mtime_ns) for p in files))


def _page(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
