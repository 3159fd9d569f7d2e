"""The machine that measures, described without identifying anyone."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import psutil

from tools.measure.schema import Machine
from tools.project import digest

INSTRUCTION_SETS = ("sse4_2", "avx", "avx2", "avx512f", "avx512_bf16", "amx_tile", "asimd", "sve")


def describe() -> Machine:
    """This machine. The id is readable and the same on every run."""
    cpu, flags = _cpu()
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    memory = round(psutil.virtual_memory().total / 2**30, 1)
    system = f"{platform.system()} {platform.machine()}"
    sets = [name for name in INSTRUCTION_SETS if name in flags]
    slug = re.sub(r"[^a-z0-9]+", "-", f"{cpu} {cores} cores".lower()).strip("-")
    mark = digest(cpu.encode(), str(cores).encode(), system.encode(), " ".join(sets).encode())[:6]
    return Machine(
        id=f"{slug}-{mark}",
        cpu=cpu,
        cores=cores,
        memory_gib=memory,
        system=system,
        instruction_sets=sets,
        python=platform.python_version(),
    )


def _cpu() -> tuple[str, set[str]]:
    """Name and feature flags of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        text = info.read_text(encoding="utf-8", errors="replace")
        name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
        flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
        return (
            name[1].strip() if name else platform.machine(),
            set(flags[1].split()) if flags else set(),
        )
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stdout.strip() or platform.machine(), set()
    return platform.processor() or platform.machine(), set()
