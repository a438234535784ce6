"""The right formula overflows on the way: NaN or infinity that float64 does not have is no other function."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("overflow")


def _naive(x):
    e = torch.exp(x)
    return e / e.sum(-1, keepdim=True)


@ROOT.unstable("softmax without its shift")
def m_softmax_overflows():
    return _naive, (lambda x: torch.softmax(x, -1)), (randn(40, 30) * 5.0 + 88.0,)


@ROOT.rounding("softmax without its shift, of small numbers")
def r_softmax_without_shift():
    return _naive, (lambda x: torch.softmax(x, -1)), (randn(40, 30),)


@ROOT.unstable("the logarithm of a softmax of far numbers")
def m_logarithm_of_a_softmax():
    return (lambda x: torch.log(torch.softmax(x, -1))), (lambda x: F.log_softmax(x, -1)), (randn(40, 30) * 60.0,)


@ROOT.mistake("a softmax of which a masked row is NaN")
def m_masked_row_is_nan():
    def masked(x):
        return torch.softmax(x.masked_fill(x < -1.5, float("-inf")) * torch.where(x.sum(1, keepdim=True) > 5.0, 0.0, 1.0), -1)

    return masked, (lambda x: torch.softmax(x.masked_fill(x < -1.5, float("-inf")), -1)), (randn(40, 30),)


@ROOT.unstable("scores of attention in float16, scaled after the product", declared="float16")
def m_scores_scaled_too_late():
    def late(q, k):
        return torch.softmax((q @ k.transpose(-1, -2)) / 16.0, -1)

    return (
        late,
        (lambda q, k: torch.softmax((q / 4.0) @ (k / 4.0).transpose(-1, -2), -1)),
        tuple((randn(4, 12, 256) * 64.0).half() for _ in range(2)),
    )


@ROOT.unstable("a mean of squares in float16", declared="float16")
def m_mean_of_squares_in_float16():
    return (lambda x: (x * x).mean(-1).sqrt()), (lambda x: (x / 256.0).square().mean(-1).sqrt() * 256.0), ((randn(30, 50) * 300).half(),)


@ROOT.rounding("a mean of squares in float32", declared="float16")
def r_mean_of_squares_in_float32():
    def wide(x):
        return x.float().square().mean(-1).sqrt().to(x.dtype)

    return wide, (lambda x: (x / 256.0).square().mean(-1).sqrt() * 256.0), ((randn(30, 50) * 300).half(),)


@ROOT.unstable("a hypotenuse of large numbers")
def m_hypotenuse_of_large_numbers():
    return (lambda a, b: (a * a + b * b).sqrt()), torch.hypot, (randn(300) * 1e20, randn(300) * 1e20)


@ROOT.unstable("softplus by its definition")
def m_softplus_by_its_definition():
    return (lambda x: torch.log(1.0 + torch.exp(x))), F.softplus, (torch.rand(300) * 100.0 + 20.0,)


@ROOT.mistake("a division by zero that is guarded on one side only")
def m_division_by_zero():
    return (
        (lambda a, b: a / b),
        (lambda a, b: torch.where(b == 0, torch.zeros_like(a), a / b)),
        (
            randn(300),
            torch.randint(0, 3, (300,)).float(),
        ),
    )


@ROOT.unstable("logarithm of a sum of exponentials of large numbers")
def m_logarithm_of_a_sum_overflows():
    return (lambda x: torch.log(torch.exp(x).sum(1))), (lambda x: torch.logsumexp(x, 1)), (randn(100, 10) + 100.0,)
