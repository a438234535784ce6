"""What starting costs, in processor time as a ratio to `python -c 'import torch'` in the same run: python -m benchmarks.start_up

A check of a small case, and a comparison of two small files, from the shell: the very first time on a fresh installation (a copy of the package without
compiled modules, and an empty cache folder), and after. Then the figures by which halfulp decides whether a compiled loop pays (`compiled.py`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from .verdicts.figures import report_figures

LIMITS = {"start_check_first": 2.0, "start_check": 1.6, "start_compare_first": 0.5, "start_compare": 0.5, "start_help": 0.22}
"""What is asked for; beyond it this benchmark ends with 1. Help: 27 starts of Python (0.3 s where one takes 0.011 s), of which PyTorch takes 125."""

CASE = """
import torch

def actual(x, w):
    return x @ w.T

def expected(x, w):
    return torch.nn.functional.linear(x, w)

def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(8, 300, generator=generator), torch.randn(16, 300, generator=generator)
"""
PACKAGE = Path(__file__).resolve().parents[1] / "src" / "halfulp"
ONE_COMPARISON = "import numpy; from halfulp import compare, compiled; compiled.LOADING_S = {}; x = numpy.ones(99, 'f'); compare(x, x)"


def processor_seconds(command: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    """User and system time of a process and of those that it waited for."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


class Installation:
    """A copy of the package in a folder of its own, with a cache folder of its own."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package = folder, package
        (folder / "case.py").write_text(CASE)
        random = np.random.default_rng(0)
        values = random.standard_normal((64, 64)).astype(np.float32)
        np.save(folder / "actual.npy", values * (1 + np.float32(1e-7) * (values > 0)).astype(np.float32))
        np.save(folder / "expected.npy", values)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "PYTHON", "HALFULP"))}
        self.environment = {**kept, "PYTHONPATH": str(folder / "installed"), "HALFULP_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}

    def renew(self) -> None:
        """As it is before anything was run."""
        for name in ("installed", "cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.package, self.folder / "installed" / "halfulp", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "cache").mkdir()

    def seconds(self, *arguments: str) -> float:
        """Processor time of Python with these arguments."""
        return processor_seconds([sys.executable, *arguments], self.folder, self.environment)


COMMANDS = {
    "start_check": ("-m", "halfulp", "check", "case.py"),
    "start_compare": ("-m", "halfulp", "compare", "actual.npy", "expected.npy"),
}


def started(installation: Installation, runs: int) -> dict[str, tuple[float, str]]:
    """The ratios, each the median of several."""
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        # Before and after, since a machine that others use gets faster and slower.
        torch_s = [installation.seconds("-c", "import torch")]
        seconds: dict[str, float] = {}
        for name, arguments in COMMANDS.items():
            installation.renew()
            seconds[f"{name}_first"] = installation.seconds(*arguments)
            seconds[name] = installation.seconds(*arguments)
        seconds["start_help"] = installation.seconds("-m", "halfulp", "--help")
        torch_s.append(installation.seconds("-c", "import torch"))
        found.setdefault("start_import_torch", []).append(statistics.mean(torch_s))
        for name, value in seconds.items():
            found.setdefault(name, []).append(value / statistics.mean(torch_s))
    return {name: (statistics.median(values), "s" if name == "start_import_torch" else "ratio") for name, values in found.items()}


def _fastest(work: Callable[[], object], runs: int = 5) -> float:
    times: list[float] = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def decided_by(installation: Installation, runs: int) -> dict[str, tuple[float, str]]:
    """What `compiled.py` and the modules `by_numpy` say of themselves: loading the compiled loop, and what NumPy takes instead."""
    from halfulp.datasheets import scans
    from halfulp.differences import by_numpy as differences
    from halfulp.floats import FLOAT32
    from halfulp.orders import by_numpy as orders
    from halfulp.orders.families import sequential

    installation.renew()
    installation.seconds("-c", ONE_COMPARISON.format(-1))
    loading = [
        installation.seconds("-c", ONE_COMPARISON.format(-1)) - installation.seconds("-c", ONE_COMPARISON.format(1e9)) for _ in range(runs)
    ]
    size = 1 << 19
    values = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    other = values * np.float32(1.001)
    parts = [slice(start, start + differences.CHUNK) for start in range(0, size, differences.CHUNK)]

    def compared() -> None:
        for part in parts:
            left, right = values[part], other[part]
            differences.gather(left, right, left.view(np.int32), right.view(np.int32), sign_magnitude=True, offset=0, worst=5)

    scan_s = _fastest(lambda: scans._errors_by_numpy(other, values.astype(np.float64), scans._inverse_ulps(FLOAT32), 3e38, 0, size))
    figures = {
        "kernel_loading": (statistics.median(loading), "s"),
        "numpy_comparison": (1e9 * _fastest(compared) / size, "ns/element"),
        "numpy_scan": (1e9 * scan_s / size, "ns/element"),
    }
    program = sequential(64).program()

    def replayed(positions: int, way: str) -> float:
        kind = np.float32 if way != "rounded" else np.float64
        none = np.zeros(1, np.int64)
        common = (
            program.operations, program.arguments, values[: positions + 64].astype(kind), none, np.arange(positions), np.arange(64), values[:64].astype(kind),
            none, np.arange(64), np.zeros((0, 1, positions), kind), way != "plain", way == "fused", 2, np.zeros((1, positions), kind),
        )  # fmt: skip
        return _fastest(lambda: orders.run(*common) if way != "rounded" else orders.run_rounded(*common, 8, -126, False)) / 64

    for way in orders.SECONDS_A_RESULT:
        few, many = replayed(1, way), replayed(orders.POSITIONS, way)
        figures[f"numpy_replay_{way}_instruction"] = (1e6 * few, "us")
        figures[f"numpy_replay_{way}_result"] = (1e9 * (many - few) / orders.POSITIONS, "ns")
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--package", type=Path, default=PACKAGE, help="the package to start, of another version, say")
    parser.add_argument("--quick", action="store_true", help="the ratios alone, three runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="halfulp-start-") as name:
        installation = Installation(Path(name), options.package)
        figures = started(installation, 3 if options.quick else options.runs)
        if not options.quick and options.package == PACKAGE:
            figures |= decided_by(installation, options.runs)
    report_figures(figures)
    return int(any(figures[name][0] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
