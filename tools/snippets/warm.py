"""Imported once by the forkserver, so that every child finds both frameworks loaded.

No MindSpore operator may run here: a child forked after one hangs.
"""

import os

import numpy  # noqa: F401
import torch
import torch._dynamo  # noqa: F401  every torch optimizer imports it, which takes over a second

# MindSpore logs to the stderr it finds at import. It must be the file descriptor that every child later
# points at its own file, so only the descriptor is turned away here, not the Python object.
_kept = os.dup(2)
with open(os.devnull, "wb") as _nowhere:
    os.dup2(_nowhere.fileno(), 2)
    import mindspore  # noqa: F401
os.dup2(_kept, 2)
os.close(_kept)

import tools.snippets.worker  # noqa: E402, F401
