"""How fast an order is revealed, against FPRev's published algorithm in the same run, on one thread.

    python -W ignore -m benchmarks.orders

FPRev (Xie et al., USENIX ATC 2025) is implemented here from its description: summands 1, masks 2**127, one probe after the other, leaves split by
the sizes seen from the first of them, recursively; matrices are made once and only masks are set and reset, as its authors do. halfulp's time
includes the search for which elements meet, the arithmetic (FMA, accumulator) and the proof by replay, none of which FPRev does; of a sum, whose single
output makes a weak proof, the time with 4 random inputs and with the default of 128 are both given.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
import torch

import halfulp
from halfulp.orders import Tree

MASK = 2.0**127
REPEATS = 5


class Probed:
    """An implementation as FPRev sees it: summands that can be masked, and how many were swallowed."""

    def __init__(self, data, place, total) -> None:
        self.data, self.place, self.total = data, place, total
        self.n = data.shape[-1]

    def set_mask(self, k, value):
        self.data[self.place(k)] = value

    def swallowed(self):
        return self.n - int(self.total())


def fprev(probed):
    """The tree as nested additions, as FPRev's recursive algorithm finds it; also how many probes it took."""
    additions = []
    probes = 0

    def add(members):
        additions.append(tuple(members))
        return probed.n + len(additions) - 1

    def build(indices):
        nonlocal probes
        first = indices[0]
        if len(indices) == 1:
            return [first], 1
        seen = []
        probed.set_mask(first, MASK)
        for index in indices[1:]:
            probed.set_mask(index, -MASK)
            seen.append(probed.swallowed())
            probed.set_mask(index, 1.0)
            probes += 1
        probed.set_mask(first, 1.0)
        members, place = [first], 0
        ordered = sorted(zip(seen, indices[1:]))
        while place < len(ordered):
            group = [leaf for size, leaf in ordered if size == ordered[place][0]]
            inner, reported = build(group)
            if len(members) > 1:
                members = [add(members)]
            if reported == len(group):
                members.append(inner[0] if len(inner) == 1 else add(inner))
            else:
                members += inner
            place += len(group)
        return members, ordered[-1][0]

    members, _ = build(list(range(probed.n)))
    if len(members) > 1:
        add(members)
    return Tree.from_nodes(probed.n, 0, additions), probes


def median_s(work, repeats=REPEATS):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure_product(n=1024):
    ones = torch.ones(n, n)
    data = torch.ones(n, n)
    start = time.perf_counter()
    theirs, probes = fprev(Probed(data, lambda k: (0, k), lambda: (data @ ones)[0, 0].item()))
    fprev_s = time.perf_counter() - start
    inputs = (torch.randn(n, n), torch.randn(n, n))
    found = halfulp.order(torch.matmul, inputs)
    ours_s = median_s(lambda: halfulp.order(torch.matmul, inputs))
    print(
        f"product of {n} x {n}: FPRev {fprev_s:.1f} s ({probes:,} products), halfulp {ours_s:.3f} s ({found.runs} products and {found.draws} for the proof)"
    )
    print(f"  {found.describe()}; {'proved' if found.is_proved else 'not proved'} on {found.checked:,} outputs")
    assert found.order.tree == theirs, "the two disagree about the order"
    return fprev_s / ours_s


def measure_sum(n=4096):
    ratios = []
    for name, make, function in (("torch.sum", torch.ones, torch.sum), ("np.sum", lambda n: np.ones(n, np.float32), np.sum)):
        data = make(n)
        probed = Probed(data, lambda k: k, lambda data=data, function=function: function(data).item())
        theirs, probes = fprev(probed)
        inputs = (make(n),)
        found = halfulp.order(function, inputs)
        assert found.order.tree == theirs, "the two disagree about the order"
        pairs = []
        for _ in range(REPEATS):
            fprev_s = median_s(lambda: fprev(probed), 1)
            ours_s = median_s(lambda: halfulp.order(function, inputs, draws=4), 1)
            pairs.append((fprev_s, ours_s, median_s(lambda: halfulp.order(function, inputs), 1)))
        fprev_s, ours_s, full_s = (statistics.median(each) for each in zip(*pairs))
        print(
            f"{name} of {n}: FPRev {fprev_s * 1e3:.0f} ms ({probes:,} sums), halfulp {ours_s * 1e3:.0f} ms ({found.runs:,} sums and 4 for the proof), "
            f"{full_s * 1e3:.0f} ms with the default proof on {found.draws} random inputs"
        )
        ratios.append((fprev_s / ours_s, fprev_s / full_s))
    return [min(each) for each in zip(*ratios)]


def measure_bfloat16(K=1024):
    """FPRev counts in the output's format: bfloat16 holds integers up to 256, so beyond it the tree is wrong."""
    torch.manual_seed(0)
    x, W = torch.randn(1, K).bfloat16(), torch.randn(64, K).bfloat16()
    data, ones = torch.ones(1, K, dtype=torch.bfloat16), torch.ones(64, K, dtype=torch.bfloat16)
    found = halfulp.order(torch.nn.functional.linear, (x, W))
    try:
        theirs, _ = fprev(Probed(data, lambda k: (0, k), lambda: torch.nn.functional.linear(data, ones)[0, 0].item()))
        outcome = (
            "the same tree" if theirs == found.order.tree else f"another tree, with up to {theirs.widest} values added in one operation"
        )
    except Exception as error:
        outcome = f"no tree ({type(error).__name__})"
    print(
        f"bfloat16 linear, K = {K}: halfulp {found.describe()} ({'proved' if found.is_proved else 'not proved'}); FPRev's algorithm finds {outcome}"
    )
    return found.is_proved


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    quick = "--quick" in sys.argv
    is_right = measure_bfloat16()
    total, with_proof = measure_sum()
    product = measure_product(256 if quick else 1024)
    print(f"figure product_vs_fprev {product:.0f} times")
    print(f"figure sum_vs_fprev {total:.1f} times")
    print(f"figure sum_with_full_proof_vs_fprev {with_proof:.1f} times")
    print(f"figure bfloat16_order_proved {int(is_right)} bool")


if __name__ == "__main__":
    main()
