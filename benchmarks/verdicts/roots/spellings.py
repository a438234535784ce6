"""Functions whose usual spelling rounds more often than good implementations do: noise of the mathematics, not of the spelling."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("spelling")
U = 2.0**-24


@ROOT.mistake("a norm that is 6 u too large")
def m_norm_too_large():
    return (lambda x: torch.linalg.vector_norm(x, dim=1) * (1.0 + 6 * U)), (lambda x: x.norm(dim=1)), (randn(300, 50),)


@ROOT.rounding("a norm by squares")
def r_norm_by_squares():
    return (lambda x: x.square().sum(1).sqrt()), (lambda x: x.norm(dim=1)), (randn(300, 50),)


@ROOT.mistake(
    "normalize without its square root's last digits",
)
def m_normalize_with_an_epsilon_below_the_root():
    return (lambda x: x / torch.sqrt((x * x).sum(1, keepdim=True) + 1e-4)), (lambda x: F.normalize(x, dim=1)), (randn(200, 64),)


@ROOT.rounding("normalize by a reciprocal root")
def r_normalize_by_a_reciprocal_root():
    return (lambda x: x * torch.rsqrt((x * x).sum(1, keepdim=True))), (lambda x: F.normalize(x, dim=1)), (randn(200, 64),)


@ROOT.mistake("a cosine with the epsilon of another library")
def m_cosine_with_another_epsilon():
    def cosine(a, b):
        return (a * b).sum(1) / ((a * a).sum(1) * (b * b).sum(1) + 1e-3).sqrt()

    return cosine, (lambda a, b: F.cosine_similarity(a, b, dim=1)), (randn(200, 32), randn(200, 32))


@ROOT.rounding("a cosine of normalized vectors")
def r_cosine_of_normalized_vectors():
    def cosine(a, b):
        return (F.normalize(a, dim=1) * F.normalize(b, dim=1)).sum(1)

    return cosine, (lambda a, b: F.cosine_similarity(a, b, dim=1)), (randn(200, 32), randn(200, 32))


@ROOT.unstable("distances of near points by expanded squares")
def m_distances_by_expanded_squares():
    def distances(a, b):
        squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2.0 * a @ b.T
        return squares.clamp_min(0.0).sqrt()

    def exact(a, b):
        return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")

    points = randn(40, 8)
    return distances, exact, (points + 30.0, points + 30.0 + 0.02 * randn(40, 8))


@ROOT.rounding("distances by differences")
def r_distances_by_differences():
    def exact(a, b):
        return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")

    return (lambda a, b: (a[:, None] - b).norm(dim=2)), exact, (randn(40, 8), randn(30, 8))


@ROOT.mistake("a square root that is 5 u too small")
def m_root_too_small():
    return (lambda x: x.sqrt() * (1.0 - 5 * U)), (lambda x: x.pow(0.5)), (torch.rand(3000) + 0.1,)


@ROOT.rounding("a square root by sqrt")
def r_root_by_sqrt():
    return torch.sqrt, (lambda x: x.pow(0.5)), (torch.rand(3000) + 0.1,)


@ROOT.coarse("a product of factors through bfloat16 in its last step")
def m_product_of_factors_through_bfloat16():
    def product(x):
        return (x[:, :3].prod(1).bfloat16() * x[:, 3:].prod(1).bfloat16()).float()

    return product, (lambda x: x.prod(1)), (torch.rand(500, 6) + 0.5,)


@ROOT.rounding("a product of factors by a loop")
def r_product_of_factors_by_a_loop():
    def product(x):
        total = x[:, 0]
        for k in range(1, x.shape[1]):
            total = total * x[:, k]
        return total

    return product, (lambda x: x.prod(1)), (torch.rand(500, 20) + 0.5,)


@ROOT.mistake("a standard deviation, biased, of many numbers")
def m_deviation_biased():
    return (lambda x: x.std(1, correction=0)), (lambda x: x.std(1)), (randn(60, 4000),)


@ROOT.rounding("a standard deviation in two passes")
def r_deviation_in_two_passes():
    def deviation(x):
        center = x - x.mean(1, keepdim=True)
        return (center.square().sum(1) / (x.shape[1] - 1)).sqrt()

    return deviation, (lambda x: x.std(1)), (randn(60, 4000),)


@ROOT.rounding("hypot by scaling")
def r_hypot_by_scaling():
    def scaled(a, b):
        large = torch.maximum(a.abs(), b.abs())
        return large * torch.sqrt((a / large).square() + (b / large).square())

    return scaled, torch.hypot, (randn(2000), randn(2000))


@ROOT.mistake("hypot by its first terms")
def m_hypot_by_its_first_terms():
    def series(a, b):
        ratio = (b / a).square()
        return a.abs() * (1.0 + ratio / 2.0 - ratio.square() / 8.0 + ratio**3 / 16.0)

    return series, torch.hypot, (torch.rand(2000) + 4.0, torch.rand(2000) * 2.0)


@ROOT.rounding("softplus by logaddexp")
def r_softplus_by_logaddexp():
    return (lambda x: torch.logaddexp(x, torch.zeros_like(x))), F.softplus, (randn(1000) * 3.0,)


@ROOT.mistake("entropy in bits by a constant of six digits")
def m_entropy_in_bits():
    def entropy(divisor):
        return lambda x: -(F.softmax(x, 1) * F.log_softmax(x, 1)).sum(1) / divisor

    return entropy(0.693147), entropy(math.log(2.0)), (randn(400, 30),)
