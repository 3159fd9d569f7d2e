"""Finds the Chromium that drives the browser tests, or gets one: `python -m tools.browser` prints its path."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.project import GuideError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""How the tests start it: inside containers, and with no request of its own."""

PLAYWRIGHT = (sys.executable, "-m", "playwright", "install", "chromium")
PACKAGES = ("apt-get", "install", "-y", "chromium", "fonts-noto-cjk")


def candidates() -> Iterator[str]:
    """Where a Chromium may lie, the best place first."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from APPLICATIONS
    yield from filter(None, [_playwrights_own()])


def starts(path: str) -> bool:
    """Whether the program runs at all: a stub of a package store, or one that lacks a library, does not."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def find() -> str | None:
    """Path of a Chromium that starts, or None.

    The environment variable GUIDE_CHROMIUM comes before every other place. Raises GuideError where it
    names something that does not start.
    """
    if named := os.environ.get("GUIDE_CHROMIUM"):
        if starts(named):
            return named
        raise GuideError(f"GUIDE_CHROMIUM names {named}, which does not start; correct it or run: unset GUIDE_CHROMIUM")
    return next(filter(starts, candidates()), None)


def ensure() -> str:
    """Path of a Chromium that starts; gets one where there is none, by whatever works here.

    Raises GuideError with the one command to run where nothing works.
    """
    if found := find():
        return found
    for command in _ways():
        print(f"no Chromium found; running: {' '.join(command)}", file=sys.stderr)
        if _succeeds(command) and (found := find()):
            return found
    raise GuideError(f"the browser tests need a Chromium and none could be had; run: {_remedy()}")


def _playwrights_own() -> str | None:
    """Where Playwright keeps the Chromium that it downloads, if it has one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _packages_work() -> bool:
    """Whether this user may install packages of the distribution."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _ways() -> Iterator[tuple[str, ...]]:
    """Commands that may bring a Chromium, the least invasive first."""
    yield PLAYWRIGHT
    if _packages_work():
        yield ("apt-get", "update")
        yield PACKAGES


def _succeeds(command: tuple[str, ...]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=600).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _remedy() -> str:
    """The one command for a person to run."""
    if platform.system() == "Linux" and shutil.which("apt-get"):
        return ("" if os.geteuid() == 0 else "sudo ") + " ".join(PACKAGES)
    return " ".join(PLAYWRIGHT)


def main() -> None:
    """Print the path; what a person can mend ends in one line and status 1."""
    try:
        print(ensure())
    except GuideError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
