"""How fast errors are scanned, against evaluating the function alone in the same run.

    python -W ignore -m benchmarks.ulp            # 2**28 of the 2**32 float32 numbers, and the whole table of one backend
    python -W ignore -m benchmarks.ulp --all      # all 2**32

`exp_scan_vs_torch`: the speed of the exhaustive scan of exp (in float32 against float64, error in ulps, worst input, share not correctly rounded)
as a share of the speed at which torch alone evaluates exp in float32 and in float64 on the same inputs. `unary_table`: seconds for every function of
one argument, sampled in float32 and complete in float16 and bfloat16, with derivatives, binary functions and all properties.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
import torch

from halfulp.datasheets import datasheet
from halfulp.datasheets.scans import CHUNK, Scan, all_numbers, sampled_numbers, scan
from halfulp.floats import FLOAT32

STARTS = (0x3D800000, 0xBD800000, 0x3F800000, 0xBF800000, 0x41000000)
"""Bit patterns from which parts are scanned: 1/16, 1, 8 and their negatives, so that exp neither is 1 nor overflows in most of them."""


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_exp(total):
    scan(Scan(), sampled_numbers(FLOAT32, 1 << 10, 0), lambda x: torch.exp(x).numpy(), torch.exp, FLOAT32)  # compiled before it is timed
    starts = STARTS if total < 1 << 32 else range(0, total, total // 4)
    per_round = total // CHUNK // len(starts)
    scanned, ratios = Scan(), []
    for start in starts:
        ours = seconds(lambda: each_part(start, per_round, lambda x: scan(scanned, x, lambda x: torch.exp(x).numpy(), torch.exp, FLOAT32)))
        alone = seconds(lambda: each_part(start, per_round, lambda x: (torch.exp(x), torch.exp(x.double()))))
        ratios.append(alone / ours)
    print(f"exp: {scanned.inputs:,} float32 numbers, largest error {scanned.max_ulp_error:.4f} ulp at {scanned.worst_input!r}, "
          f"{scanned.wrong:,} not correctly rounded")  # fmt: skip
    return statistics.median(ratios)


def each_part(start, count, work):
    numbers = all_numbers(FLOAT32, start)
    for _ in range(count):
        work(next(numbers))  # results are dropped at once: kept, they would cost page faults


def measure_sqrt():
    """The fact that eager PyTorch's square root misses correct rounding on some CPUs."""
    values = (torch.rand(1 << 22, generator=torch.Generator().manual_seed(0)) * 3.5 + 0.5).float()
    torch_wrong = float((torch.sqrt(values).numpy() != np.sqrt(values.numpy())).mean())
    scanned = Scan()
    scan(scanned, values, lambda x: torch.sqrt(x).numpy(), torch.sqrt, FLOAT32)
    print(f"torch.sqrt in [0.5, 4): {100 * torch_wrong:.1f} % of results are not NumPy's, largest error {scanned.max_ulp_error:.3f} ulp")
    return torch_wrong


def main():
    total = 1 << 32 if "--all" in sys.argv else 1 << 28
    ratio = measure_exp(total)
    sqrt_share = measure_sqrt()
    sheet = []
    table_s = seconds(lambda: sheet.append(datasheet("torch")))
    print(f"datasheet of torch: {len(sheet[0].accuracies)} functions and formats in {table_s:.0f} s")
    print(f"figure exp_scan_vs_torch {ratio:.2f} share")
    print(f"figure unary_table {table_s:.0f} s")
    print(f"figure sqrt_not_correctly_rounded {100 * sqrt_share:.1f} %")


if __name__ == "__main__":
    main()
