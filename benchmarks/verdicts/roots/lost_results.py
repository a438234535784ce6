"""Nothing is left of a result: zero where it is tiny, or where an expected zero is not met."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("everything lost")


@ROOT.unstable("log1p of tiny numbers by log")
def m_log_of_one_plus_tiny():
    return (lambda x: torch.log(1.0 + x)), torch.log1p, (torch.rand(1000) * 2e-8,)


@ROOT.rounding("log1p by atanh")
def r_log1p_by_atanh():
    return (lambda x: 2.0 * torch.atanh(x / (2.0 + x))), torch.log1p, (torch.rand(1000) * 2e-8,)


@ROOT.unstable("one minus a cosine of small angles")
def m_one_minus_cosine():
    return (lambda x: 1.0 - torch.cos(x)), (lambda x: 2.0 * torch.sin(0.5 * x) ** 2), (torch.rand(1000) * 2e-4,)


@ROOT.rounding("one minus a cosine by tangents")
def r_one_minus_cosine():
    return (lambda x: torch.tan(0.5 * x) * torch.sin(x)), (lambda x: 2.0 * torch.sin(0.5 * x) ** 2), (torch.rand(1000) * 2e-4,)


@ROOT.unstable("erfc far out by one minus erf")
def m_erfc_far_out():
    return (lambda x: 1.0 - torch.erf(x)), torch.erfc, (torch.rand(800) * 2.0 + 4.5,)


@ROOT.unstable("sigmoid far to the left by one minus the other")
def m_sigmoid_far_to_the_left():
    return (lambda x: 1.0 - torch.sigmoid(-x)), torch.sigmoid, (-20.0 - torch.rand(500) * 10.0,)


@ROOT.rounding("sigmoid far to the left by exponentials")
def r_sigmoid_far_to_the_left():
    return (lambda x: torch.exp(x) / (1.0 + torch.exp(x))), torch.sigmoid, (-20.0 - torch.rand(500) * 10.0,)


@ROOT.unstable("a product of probabilities that underflows in the middle")
def m_product_of_probabilities():
    def product(p):
        return p.prod(1) * 1e30

    return product, (lambda p: torch.exp(torch.log(p).sum(1) + 69.07755278982137)), (torch.rand(200, 24) * 1e-3 + 1e-3,)


@ROOT.unstable("squares of 1e-25 in a norm")
def m_squares_of_tiny_numbers():
    return (lambda x: (x * x).sum(1).sqrt()), (lambda x: (x * 1e20).norm(dim=1) / 1e20), (randn(100, 16) * 1e-25,)


@ROOT.rounding("a norm of tiny numbers, scaled by their largest")
def r_norm_of_tiny_numbers():
    def scaled(x):
        large = x.abs().amax(1, keepdim=True)
        return (x / large).norm(dim=1) * large[:, 0]

    return scaled, (lambda x: (x * 1e20).norm(dim=1) / 1e20), (randn(100, 16) * 1e-25,)


@ROOT.mistake("a tenth of a percent where zero is expected")
def m_something_where_zero_is_expected():
    return (lambda x: F.relu(x) + 1e-3 * torch.clamp(x, max=0.0)), F.relu, (randn(1000),)


@ROOT.rounding("zero by a mask")
def r_zero_by_a_mask():
    return (lambda x: torch.where(x > 0, x * 1.5, 0.0) / 1.5), F.relu, (randn(1000),)


@ROOT.mistake("an offset of 1e-9 added to a difference that is zero")
def m_offset_on_zeros():
    return (lambda x, y: (x - y) + 1e-9), (lambda x, y: x - y), (torch.ones(500), torch.ones(500))


@ROOT.unstable("a softmax in float16 without its shift, small", declared="float16")
def m_softmax_in_float16_without_shift():
    def naive(x):
        e = torch.exp(x)
        return e / e.sum(-1, keepdim=True)

    return naive, (lambda x: torch.softmax(x, -1)), ((randn(50, 40) * 2.0 - 16.0).half(),)
