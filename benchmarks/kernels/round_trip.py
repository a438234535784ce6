"""How long does a call of a solution take beside the solution itself: sending a million numbers to its process, and the results back?

Beside it, in the same run: copying as many bytes in memory, and what it would take only to write them as safetensors and read them again.

    python -W ignore -m benchmarks.kernels.round_trip
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load, save

from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.solutions.sandbox import Sandbox

ELEMENTS = 1 << 20
SOLUTION = """
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x + 1
"""


def milliseconds(work: Callable[[], object], times: int = 25) -> float:
    """The median."""
    found: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(1e3 * (time.perf_counter() - start))
    return statistics.median(found)


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory(prefix="halfulp-round-trip-") as folder:
        file = Path(folder, "solution.py")
        file.write_text(SOLUTION, encoding="utf-8")
        sandbox = Sandbox(file)
        try:
            sandbox.load()
            sandbox.build("ModelNew", (), 0)
            for dtype in (torch.float32, torch.float64):
                x = torch.randn(ELEMENTS, dtype=dtype)
                name = str(dtype).removeprefix("torch.")
                taken = milliseconds(lambda x=x: sandbox.call(Setting((x,))))
                copied = milliseconds(lambda x=x: (x.clone(), x.clone()))
                stored = milliseconds(lambda x=x: (load(save({"0": x})), load(save({"0": x}))))
                print(f"figure call_of_{name} {taken:.3g} ms")
                print(f"figure two_copies_in_memory_{name} {copied:.3g} ms")
                print(f"figure safetensors_there_and_back_{name} {stored:.3g} ms")
                print(f"figure call_in_copies_{name} {taken / copied:.3g} times")
        finally:
            sandbox.close()


if __name__ == "__main__":
    main()
