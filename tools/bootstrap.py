"""Makes .venv and installs everything pinned: `python3 tools/bootstrap.py`.

Uses the standard library alone, and syntax that old interpreters can read, so that a wrong Python
gets a sentence and not a traceback.
"""

import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
LOG = os.path.join(ROOT, ".cache", "setup.log")
SUPPORTED = ((3, 10), (3, 11), (3, 12))
PROBE = "import sys, venv; print('%d.%d' % sys.version_info[:2])"


def stop(text):
    """End with one line and status 1."""
    sys.stderr.write("error: " + text + "\n")
    sys.exit(1)


def version_of(python):
    """(major, minor) of an interpreter, or None where it does not run."""
    try:
        printed = subprocess.check_output([python, "-c", PROBE], stderr=subprocess.STDOUT)
        return tuple(int(part) for part in printed.decode().split("."))
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def can_make_environments(python):
    """Whether ensurepip is there: Debian and Ubuntu ship it apart."""
    with open(os.devnull, "w") as nowhere:
        return subprocess.call([python, "-c", "import ensurepip"], stderr=nowhere) == 0


def choose():
    """An interpreter that both frameworks support: this one, or a python3.x on the PATH."""
    named = ["python%d.%d" % version for version in SUPPORTED[::-1]]  # noqa: UP031
    for python in [sys.executable] + named:
        if python and version_of(python) in SUPPORTED:
            return python
    return stop(
        "MindSpore 2.10.0 needs Python 3.10, 3.11 or 3.12; this is %d.%d. "  # noqa: UP031
        "Install one of them, or run: make PYTHON=/path/to/python3.11" % sys.version_info[:2]
    )


def run(command, why):
    """Run a step quietly, its output going to the log; stop with one line where it fails."""
    sys.stderr.write(why + " ...\n")
    with open(LOG, "ab") as log:
        if subprocess.call(command, stdout=log, stderr=log, cwd=ROOT):
            stop(why + " failed; is there a network? The reason is at the end of .cache/setup.log")


def main():
    """Create the environment, or bring it up to date."""
    python = choose()
    if not os.path.isdir(os.path.dirname(LOG)):
        os.makedirs(os.path.dirname(LOG))
    inside = os.path.join(VENV, "bin", "python")
    if os.path.isdir(VENV) and version_of(inside) not in SUPPORTED:
        shutil.rmtree(VENV)
    if not os.path.isdir(VENV):
        if not can_make_environments(python):
            stop("this Python cannot make environments; run: sudo apt-get install python3-venv")
        run([python, "-m", "venv", VENV], "making .venv")
    pip = [inside, "-m", "pip", "install", "--disable-pip-version-check"]
    run(
        pip + ["-r", "requirements.txt", "-c", "constraints.txt"],
        "installing the pinned packages (about 1 GB the first time)",
    )
    run(pip + ["--no-deps", "--no-build-isolation", "-e", "."], "installing the guide's tools")
    with open(os.path.join(VENV, "ready"), "w") as ready:
        ready.write("made by tools/bootstrap.py\n")


if __name__ == "__main__":
    main()
