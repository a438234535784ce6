"""Running sums in 16 bits that stop growing: what is added is less than half a spacing."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("stagnation", "bfloat16")


def _one_by_one(x, axis=0):
    total = torch.zeros_like(x.select(axis, 0))
    for k in range(x.shape[axis]):
        total = total + x.select(axis, k)
    return total


@ROOT.unstable("a sum of 4096 positive numbers one by one in bfloat16")
def m_sum_one_by_one_in_bfloat16():
    return _one_by_one, (lambda x: x.sum(0)), (torch.rand(4096, 8).bfloat16(),)


@ROOT.rounding("a sum of 4096 numbers one by one in float32")
def r_sum_one_by_one_in_float32():
    return (lambda x: _one_by_one(x.float()).to(x.dtype)), (lambda x: x.sum(0)), (torch.rand(4096, 8).bfloat16(),)


@ROOT.unstable("a mean of 3000 in float16", declared="float16")
def m_mean_in_float16():
    return (lambda x: _one_by_one(x) / x.shape[0]), (lambda x: x.mean(0)), ((torch.rand(3000, 16) + 0.5).half(),)


@ROOT.rounding("a mean of 3000 in float16 by blocks, added in float32", declared="float16")
def r_mean_in_float16_by_blocks():
    def blocks(x):
        return (sum(part.float().sum(0) for part in x.split(100)) / x.shape[0]).to(x.dtype)

    return blocks, (lambda x: x.mean(0)), ((torch.rand(3000, 16) + 0.5).half(),)


@ROOT.unstable("an average that moves by a thousandth in bfloat16")
def m_moving_average_in_bfloat16():
    def average(w, x):
        for k in range(400):
            w = w * 0.999 + 0.001 * x[k]
        return w

    def wide(w, x):
        w = w.double() if w.dtype == torch.float64 else w.float()
        return average(w, x.to(w.dtype))

    return average, (lambda w, x: wide(w, x).to(x.dtype)), (torch.ones(200).bfloat16(), (torch.rand(400, 200) * 0.2 + 2.0).bfloat16())


@ROOT.unstable("a histogram of weights in bfloat16 that stops")
def m_histogram_in_bfloat16():
    def histogram(w, k):
        bins = torch.zeros(4, dtype=w.dtype)
        for place in range(len(w)):
            bins[k[place]] += w[place]
        return bins

    def exact(w, k):
        return torch.stack([w[k == bin].sum() for bin in range(4)])

    return histogram, exact, (torch.rand(3000).bfloat16(), torch.randint(0, 4, (3000,)))


@ROOT.rounding("a moving average in bfloat16, kept in float32")
def r_moving_average_kept_in_float32():
    def average(w, x):
        for k in range(400):
            w = torch.lerp(w, x[k], 0.001)
        return w

    def plain(w, x):
        for k in range(400):
            w = w * 0.999 + 0.001 * x[k]
        return w

    def wide(run):
        def widened(w, x):
            kept = w.double() if w.dtype == torch.float64 else w.float()
            return run(kept, x.to(kept.dtype)).to(x.dtype)

        return widened

    return wide(average), wide(plain), (torch.ones(200).bfloat16(), (torch.rand(400, 200) + 0.5).bfloat16())


@ROOT.unstable("a loss over 5000 rows added one by one in float16", declared="float16")
def m_loss_added_in_float16():
    def added(x, y):
        return _one_by_one(F.mse_loss(x, y, reduction="none")) / len(x)

    return added, (lambda x, y: F.mse_loss(x, y, reduction="none").mean(0)), (randn(5000, 6).half(), randn(5000, 6).half())


@ROOT.unstable("a cumulative sum in bfloat16 by a loop")
def m_cumulative_sum_in_bfloat16():
    def loop(x):
        found, total = [], torch.zeros_like(x[0])
        for row in x:
            total = total + row
            found.append(total)
        return torch.stack(found)

    return loop, (lambda x: torch.cumsum(x, 0)), (torch.rand(2000, 6).bfloat16(),)


@ROOT.rounding("a short sum one by one in bfloat16")
def r_short_sum_in_bfloat16():
    return _one_by_one, _one_by_one, (randn(4, 50).bfloat16(),)
