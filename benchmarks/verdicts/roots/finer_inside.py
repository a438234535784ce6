"""Expected computes in float32 inside, and a step in 16 bits is amplified: the noise of its ops in 16 bits would be as large."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("finer inside", "bfloat16")


def _wide(x):
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


def _waves(x):
    """Positions as sines are added."""
    wide = _wide(x)
    rates = 2.0 ** -torch.arange(0, x.shape[-1], dtype=wide.dtype)
    angles = torch.arange(400, 400 + x.shape[0], dtype=wide.dtype)[:, None] * rates
    return (wide + angles.sin()).to(x.dtype)


def _waves_in(dtype):
    def waves(x):
        rates = (2.0 ** -torch.arange(0, x.shape[-1], dtype=torch.float32)).to(dtype)
        angles = torch.arange(400, 400 + x.shape[0]).to(dtype)[:, None] * rates
        return (x.to(torch.float32) + angles.sin().float()).to(x.dtype)

    return waves


@ROOT.unstable("angles of positions in bfloat16")
def m_angles_in_bfloat16():
    return _waves_in(torch.bfloat16), _waves, (randn(90, 12).bfloat16(),)


@ROOT.rounding("sines of positions from float32, rounded once")
def r_angles_in_float32():
    def waves(x):
        rates = 2.0 ** -torch.arange(0, x.shape[-1], dtype=torch.float32)
        angles = torch.arange(400, 400 + x.shape[0], dtype=torch.float32)[:, None] * rates
        return x + angles.sin().to(x.dtype)

    return waves, _waves, (randn(90, 12).bfloat16(),)


def _decay(x):
    """What is left after each of 300 steps, by a rate of 1 in 64."""
    wide = _wide(x)
    steps = torch.arange(x.shape[-1], dtype=wide.dtype)
    return (wide * torch.exp(-(steps + 600.0) / 64.0 + 10.0)).to(x.dtype)


@ROOT.unstable("the exponent of a decay in bfloat16")
def m_exponent_of_a_decay_in_bfloat16():
    def decay(x):
        steps = torch.arange(x.shape[-1]).to(x.dtype)
        return x * torch.exp(-(steps + 600.0) / 64.0 + 10.0)

    return decay, _decay, (randn(8, 300).bfloat16(),)


@ROOT.rounding("a decay whose factors are rounded once")
def r_factors_of_a_decay_rounded_once():
    def decay(x):
        factors = torch.exp(-(torch.arange(x.shape[-1]).double() + 600.0) / 64.0 + 10.0)
        return x * factors.to(x.dtype)

    return decay, _decay, (randn(8, 300).bfloat16(),)


@ROOT.unstable("the tail of a normal distribution as 1 - erf, in float16", declared="float16")
def m_tail_as_one_minus_erf():
    return (
        (lambda x: 0.5 * (1.0 - torch.erf(x * 0.5**0.5))),
        (lambda x: (0.5 * torch.erfc(_wide(x) * 0.5**0.5)).to(x.dtype)),
        ((torch.rand(3000) * 2.9 + 0.5).half(),),
    )


@ROOT.rounding("the tail of a normal distribution in float16, by erfc", declared="float16")
def r_tail_by_erfc():
    return (
        (lambda x: 0.5 * torch.erfc(x * 0.5**0.5)),
        (lambda x: (0.5 * torch.erfc(_wide(x) * 0.5**0.5)).to(x.dtype)),
        ((torch.rand(3000) * 2.0 + 0.5).half(),),
    )


def _totals(values, places):
    return torch.zeros(6, dtype=_wide(values).dtype).index_add_(0, places, _wide(values)).to(values.dtype)


def _totals_in(dtype):
    def totals(values, places):
        found = torch.zeros(6, dtype=dtype)
        for value, place in zip(values, places.tolist()):
            found[place] += value
        return found.to(values.dtype)

    return totals


@ROOT.unstable("totals of six groups, added one by one in float16", declared="float16")
def m_totals_in_float16():
    return _totals_in(torch.float16), _totals, ((torch.rand(900) + 0.5).half(), torch.arange(900) % 6)


@ROOT.rounding("totals of six groups, added one by one in float32", declared="float16")
def r_totals_in_float32():
    return _totals_in(torch.float32), _totals, ((torch.rand(900) + 0.5).half(), torch.arange(900) % 6)


def _bent(x, weights):
    """A small network, in float32 inside."""
    wide = _wide(x)
    for weight in weights:
        wide = F.layer_norm(wide + F.gelu(wide @ weight.to(wide.dtype)), wide.shape[-1:])
    return wide.to(x.dtype)


def _small_network():
    return randn(20, 32).bfloat16(), [randn(32, 32).bfloat16() / 6.0 for _ in range(8)]


@ROOT.rounding("a network of eight layers, each result rounded to bfloat16")
def r_network_rounded_after_each_op():
    def bent(x, weights):
        for weight in weights:
            x = F.layer_norm(x + F.gelu(x @ weight), x.shape[-1:])
        return x

    return bent, _bent, _small_network()


@ROOT.unstable("a network of eight layers that centers a large sum in bfloat16")
def m_network_that_centers_in_bfloat16():
    def bent(x, weights):
        for weight in weights:
            x = x + F.gelu(x @ weight)
            x = x + 40.0  # an offset that the normalization takes out again
            x = F.layer_norm(x.float(), x.shape[-1:]).to(x.dtype)
        return x

    return bent, _bent, _small_network()
