"""Imported once by the forkserver, so that every child finds both frameworks loaded.

No MindSpore operator may run here: a child forked after one hangs.
"""

import contextlib
import os

import numpy  # noqa: F401
import torch  # noqa: F401

with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
    import mindspore  # noqa: F401

import tools.snippets.worker  # noqa: F401
