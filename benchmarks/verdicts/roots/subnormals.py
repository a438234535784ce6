"""Numbers that are subnormal in the declared 16 bits but live in float32: there they lose nothing."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("subnormals", "float16")


def _wide(function):
    """A function that computes in float32 whatever it is given."""
    return lambda *given: function(*(value.float() for value in given)).to(given[0].dtype)


def _weights(x):
    weights = torch.exp(x - 14.0)  # subnormal in float16
    return weights / weights.sum(-1, keepdim=True)


@ROOT.mistake("weights below 2^-14 in float32, 20 percent too large")
def m_weights_below_the_normal_numbers():
    def wrong(x):
        weights = torch.exp(x - 14.0) * 1.2
        return weights / torch.exp(x - 14.0).sum(-1, keepdim=True)

    return _wide(wrong), _wide(_weights), (randn(40, 30).half(),)


@ROOT.rounding("weights below 2^-14 in float32 by softmax")
def r_weights_below_the_normal_numbers():
    return _wide(lambda x: torch.softmax(x, -1)), _wide(_weights), (randn(40, 30).half(),)


@ROOT.mistake("squares below 2^-14 in float32 with another epsilon")
def m_squares_below_the_normal_numbers():
    def normed(eps):
        return _wide(lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps))

    return normed(1.5e-7), normed(1e-7), ((randn(40, 64) * 2e-3).half(),)


@ROOT.rounding("squares below 2^-14 in float32 by rms_norm")
def r_squares_below_the_normal_numbers():
    own = _wide(lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-7))
    return _wide(lambda x: F.rms_norm(x, (64,), eps=1e-7)), own, ((randn(40, 64) * 2e-3).half(),)


@ROOT.mistake("a gradient of 1e-6 in float32 clipped at another norm")
def m_small_gradient_clipped():
    def clipped(limit):
        return _wide(lambda g: g * 1e-6 * (limit / (g * 1e-6).norm()))

    return clipped(1.02), clipped(1.0), (randn(2000).half(),)


@ROOT.rounding("a gradient of 1e-6 in float32 clipped by the unscaled norm")
def r_small_gradient_clipped():
    return _wide(lambda g: g / g.norm()), _wide(lambda g: g * 1e-6 * (1.0 / (g * 1e-6).norm())), (randn(2000).half(),)


@ROOT.mistake("probabilities of 1e-7 with a dropped term")
def m_probabilities_with_a_dropped_term():
    def likelihood(terms):
        return _wide(lambda x: sum((1e-7 * x.abs()) ** 2 * k for k in range(1, terms + 1)) * 1e14)

    return likelihood(9), likelihood(10), (randn(500).half(),)


@ROOT.rounding("probabilities of 1e-7 with their factors in another order")
def r_probabilities_in_another_order():
    one = _wide(lambda x: sum((1e-7 * x.abs()) ** 2 * k for k in range(1, 11)) * 1e14)
    return _wide(lambda x: 55.0 * x.square()), one, (randn(500).half(),)


@ROOT.mistake("a variance of 1e-8 in float32, unbiased", verdict="MISTAKE")
def m_variance_of_small_numbers():
    return _wide(lambda x: x.var(1) * 1e8), _wide(lambda x: x.var(1, correction=0) * 1e8), ((randn(200, 40) * 1e-4).half(),)


@ROOT.rounding("a variance of 1e-8 in float32 by squares of differences")
def r_variance_of_small_numbers():
    def two_passes(x):
        return (x - x.mean(1, keepdim=True)).square().mean(1) * 1e8

    return _wide(two_passes), _wide(lambda x: x.var(1, correction=0) * 1e8), ((randn(200, 40) * 1e-4).half(),)
