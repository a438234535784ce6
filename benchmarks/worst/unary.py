"""How near does the search of single numbers come to the worst of all 2**32, with a hundred-thousandth of the evaluations?

The truth is an exhaustive scan of each function: two minutes or more, so it is kept in `exhaustive.json` with the versions that it is of, and a
function that is missing there is scanned with --scan (any number of runs, each goes on where the last one ended).

    python -W ignore -m benchmarks.worst.unary [--scan] [--only NAME] [--minutes N] [--processes N]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numba
import numpy as np
import torch

from halfulp.datasheets.functions import STEPS, TORCH_UNARY, reference
from halfulp.files import write_file
from halfulp.floats import FLOAT32
from halfulp.ops.deviation import ROUNDING_RMS
from halfulp.searches import cells
from halfulp.searches.scalar_search import worst_scalars
from halfulp.searches.scalars import Function, in_noise_of

TRUTH = Path(__file__).parent / "exhaustive.json"
ALL = 1 << 32
EVALUATIONS = int(1e-5 * ALL)
CHUNK = 1 << 16
"""Numbers at a time: what is computed of them stays in the cache."""
LEAST, FUNCTIONS = 0.95, 50
"""The share of the worst error that is to be found, and on how many functions; of fewer that are known, on all."""
EXACT = (
    "positive",
    "square",
    "reciprocal",
    "hardtanh",
    "relu6",
    "deg2rad",
    "rad2deg",
    "hardsigmoid",
    "hardswish",
    "leaky_relu",
    "softsign",
)
"""One or two exact operations: nothing is searched there."""
NAMES = [name for name in TORCH_UNARY if name not in STEPS and name not in EXACT]


def function_of(name: str) -> Function:
    """PyTorch's function in float32 against itself in float64."""
    return Function(TORCH_UNARY[name], lambda x: reference(name, (x.double(),)), FLOAT32, (True,))


@numba.njit(cache=True, error_model="numpy")
def worst_of(x, computed, exact, u, rms, smallest, largest, best):
    """The largest error of a chunk in units of the noise if it exceeds `best`, and its place: `searches.scalars.in_noise_of`, one by one.

    The noise is at least the rounding of the result, so that most errors are no record whatever the neighbors are, and these are not looked at.
    """
    place = 0
    for i in range(1, len(x) - 1):
        r, y = exact[i], computed[i - 1]
        if np.isnan(r) != np.isnan(y) or (np.isfinite(r) and abs(r) < largest * (1.0 - u) and not np.isfinite(y)):
            return np.inf, i
        if not np.isfinite(r) or not np.isfinite(y) or y == r:
            continue
        squares = (rms * u * abs(r)) ** 2 + smallest * smallest / 12.0
        if (y - r) ** 2 <= best * best * squares and best > 0:
            continue
        rounding = rms * u * abs(x[i]) + smallest / np.sqrt(12.0)
        for j in (i - 1, i + 1):
            apart, move = abs(x[j] - x[i]), exact[j] - r
            if apart > 0 and np.isfinite(move):
                squares += 0.5 * (min(rounding / apart, 1.0) * move) ** 2
        error = abs(y - r) / np.sqrt(squares)
        if error > best:
            best, place = error, i
    return best, place


def scanned(name: str, progress: Callable[[float], None] = lambda _: None, *, every: int = 1) -> tuple[float, float]:
    """The largest error of a function over all finite numbers (or every so many chunks), in units of the noise, and where."""
    function, best, where = TORCH_UNARY[name], -1.0, 0.0
    last = int(np.float32(FLOAT32.max_finite).view(np.uint32))
    chunks = [(sign, low) for sign in (0, 1 << 31) for low in range(0, last + 1, CHUNK)]
    for done, (sign, low) in enumerate(chunks[::every]):
        patterns = np.clip(np.arange(low - 1, min(low + CHUNK, last + 1) + 1, dtype=np.int64), 0, last).astype(np.uint32) | np.uint32(sign)
        x = torch.from_numpy(patterns.view(np.float32))
        exact = reference(name, (x.double(),)).numpy()
        computed = function(x[1:-1]).double().numpy()
        error, place = worst_of(
            x.double().numpy(), computed, exact, FLOAT32.unit_roundoff, ROUNDING_RMS, FLOAT32.min_subnormal, FLOAT32.max_finite, best
        )
        if error > best:
            best, where = float(error), float(x[place])
            if np.isinf(best):
                break
        progress(done / len(chunks[::every]))
    return best, where


def known() -> dict[str, Any]:
    """What was scanned with this version of PyTorch on a processor with the same instructions."""
    kept = json.loads(TRUTH.read_text(encoding="utf-8")) if TRUTH.is_file() else {}
    return kept.get(fingerprint(), {})


def fingerprint() -> str:
    """What decides the bits of these functions."""
    return f"torch {torch.__version__.partition('+')[0]}, {torch.backends.cpu.get_cpu_capability()}"


def timed(name: str) -> tuple[float, float, float]:
    """What `scanned` returns, and the seconds it took."""
    start = time.monotonic()
    return *scanned(name), time.monotonic() - start


def scan_more(only: str, minutes: float, processes: int) -> None:
    """Scan what is not known yet; each function is kept when it is done."""
    end = time.monotonic() + 60 * minutes
    left = [name for name in NAMES if only in name and name not in known()]
    at_work: dict[Future[tuple[float, float, float]], str] = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        while at_work or (left and time.monotonic() < end):
            while left and len(at_work) < processes and time.monotonic() < end:
                name = left.pop(0)
                at_work[pool.submit(timed, name)] = name
            for done in wait(at_work, return_when=FIRST_COMPLETED).done:
                keep(at_work.pop(done), *done.result())
                print(f"{len(left) + len(at_work)} functions left", file=sys.stderr, flush=True)


def keep(name: str, worst: float, where: float, seconds: float) -> None:
    """Add a function to what is known."""
    kept = json.loads(TRUTH.read_text(encoding="utf-8")) if TRUTH.is_file() else {}
    kept.setdefault(fingerprint(), {})[name] = {"in_noise": worst if np.isfinite(worst) else "inf", "at": where}
    write_file(TRUTH, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    print(f"{name:30} {worst:10.4g} at {where:.9g} ({seconds:.0f} s)", flush=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", action="store_true", help="scan all numbers of functions that are not known yet")
    parser.add_argument("--minutes", type=float, default=1e9, help="no further scan is begun after these")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="functions that are scanned at a time")
    parser.add_argument("--only", default="", help="only functions whose name contains this")
    for name in ("CELLS", "EACH", "EVERYWHERE"):
        parser.add_argument(
            f"--{name.lower()}", type=int, default=getattr(cells, name), help="another setting of the search, see `searches.cells`"
        )
    options = parser.parse_args()
    cells.CELLS, cells.EACH, cells.EVERYWHERE = options.cells, options.each, options.everywhere
    if options.scan:
        scan_more(options.only, options.minutes, options.processes)
    shares: list[float] = []
    seconds: list[float] = []
    for name, truth in sorted(known().items()):
        if options.only not in name:
            continue
        start = time.monotonic()
        found = worst_scalars(function_of(name), EVALUATIONS)
        seconds.append(time.monotonic() - start)
        best, all_of = found.in_noise[0], float(truth["in_noise"])
        shares.append(1.0 if np.isinf(all_of) and np.isinf(best) else min(1.0, best / all_of))
        drawn = torch.randn(EVALUATIONS, generator=torch.Generator().manual_seed(0))
        normal = in_noise_of(function_of(name), (drawn,)).max()
        print(
            f"{name:30} worst {all_of:9.4g} at {truth['at']:<14.7g} found {best:9.4g} ({100 * shares[-1]:.1f} %); normal draws {normal:9.4g}"
        )
    if not shares:
        sys.exit(f"Nothing is known for {fingerprint()}: run it with --scan first.")
    print(f"figure worst_unary_functions {len(shares)} functions")
    print(f"figure worst_unary_within_95_percent {sum(share >= LEAST for share in shares)} functions")
    print(f"figure worst_unary_median_share {statistics.median(shares):.4f} share")
    print(f"figure worst_unary_least_share {min(shares):.4f} share")
    print(f"figure worst_unary_evaluations {EVALUATIONS / ALL:.1e} share")  # of the function; each also takes three of the exact one
    print(f"figure worst_unary_seconds {statistics.median(seconds):.2f} s")
    sys.exit(int(min(shares) < LEAST and sum(share >= LEAST for share in shares) < FUNCTIONS))


if __name__ == "__main__":
    main()
