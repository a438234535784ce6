"""halfulp.compare against torch.testing.assert_close and against reading memory once: python -m benchmarks.compare

All metrics of a Difference at once, on 100 million float32 pairs that agree to a few ulps (assert_close only says pass or fail on them).
The three are run in turn, several times, in one process; the figures are ratios of medians.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import halfulp

from .verdicts.figures import report_figures


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_bytes() -> int:
    """The largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=100_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    count = options.elements

    warm = np.ones(10, dtype=np.float32)
    halfulp.compare(warm, warm)  # compiled kernels are read from disk, or made, before anything is measured
    expected = torch.rand(count, generator=torch.Generator().manual_seed(0)).add_(0.5)
    actual = expected.clone()
    actual[::3] *= 1.0 + 2.0**-23
    before = peak_bytes()
    halfulp.compare(actual, expected)
    extra = peak_bytes() - before

    works: dict[str, Callable[[], object]] = {
        "compare": lambda: halfulp.compare(actual, expected),
        "assert_close": lambda: torch.testing.assert_close(actual, expected),
        "memory_read": lambda: (actual.amax(), expected.amax()),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(options.runs):
        for name, work in works.items():
            times[name].append(seconds(work))
    median = {name: statistics.median(each) for name, each in times.items()}
    figures = {
        "compare_throughput": (count / median["compare"] / 1e6, "Melements/s"),
        "assert_close_throughput": (count / median["assert_close"] / 1e6, "Melements/s"),
        "memory_read_throughput": (count / median["memory_read"] / 1e6, "Melements/s"),
        "compare_vs_assert_close": (median["assert_close"] / median["compare"], "times_faster"),
        "compare_vs_memory_read": (median["compare"] / median["memory_read"], "times_slower"),
        "compare_extra_memory": (extra / 1e6, "MB"),
    }
    report_figures(figures, options.json)


if __name__ == "__main__":
    main()
