"""Both sides lose digits, at different elements: neither is the better one. Beside it one side that alone loses them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("lost digits")


@ROOT.rounding("cross-entropy of logits, TensorFlow's formula against PyTorch's")
def r_cross_entropy_of_logits():
    def tensorflow(x, z):
        return torch.relu(x) - x * z + torch.log1p(torch.exp(-x.abs()))

    return tensorflow, (lambda x, z: F.binary_cross_entropy_with_logits(x, z, reduction="none")), (randn(2000) * 8, torch.rand(2000))


@ROOT.unstable("cross-entropy of logits by sigmoid and log")
def m_cross_entropy_by_sigmoid():
    def naive(x, z):
        p = torch.sigmoid(x)
        return -(z * torch.log(p) + (1 - z) * torch.log(1 - p))

    z = (torch.rand(2000) < 0.5).float()
    return naive, (lambda x, z: F.binary_cross_entropy_with_logits(x, z, reduction="none")), (randn(2000).clamp(-3, 3) * 5.0, z)


@ROOT.rounding("a difference of squares by two ways of expanding")
def r_difference_of_squares():
    return (lambda a, b, c: a * b - a * c), (lambda a, b, c: (a * b + c * b) - (c * b + a * c)), tuple(randn(3000) for _ in range(3))


@ROOT.unstable("a difference of squares of near numbers, squared first")
def m_difference_of_squares_of_near_numbers():
    x = randn(3000)
    return (lambda a, b: a * a - b * b), (lambda a, b: (a - b) * (a + b)), (x, x * (1 + 1e-4 * randn(3000)))


@ROOT.rounding("the entropy of a pair, by differences and by sums of logarithms")
def r_entropy_of_a_pair():
    def one(p, q):
        return p * (torch.log(p) - torch.log(q)) - p + q

    def other(p, q):
        return p * torch.log(p / q) + (q - p)

    return one, other, (torch.rand(2000) + 0.5, torch.rand(2000) * 3 + 2.0)


@ROOT.unstable("expm1 by exp minus one")
def m_expm1_by_exp():
    return (lambda x: torch.exp(x) - 1.0), torch.expm1, (randn(2000) * 1e-3,)


@ROOT.rounding("expm1 by sinh, where nothing cancels")
def r_expm1_by_sinh():
    return (lambda x: 2.0 * torch.exp(0.5 * x) * torch.sinh(0.5 * x)), torch.expm1, (torch.rand(2000) + 0.5,)


@ROOT.unstable("an angle near zero by arccos")
def m_angle_near_zero_by_arccos():
    def by_arccos(a, b):
        return torch.acos(((a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1))).clamp(-1, 1))

    def by_atan(a, b):
        return torch.atan2(torch.linalg.cross(a, b).norm(dim=1), (a * b).sum(1))

    x = randn(400, 3)
    return by_arccos, by_atan, (x, x + 1e-3 * randn(400, 3))


@ROOT.rounding("an angle of random vectors by arccos, clear of the poles")
def r_angle_by_arccos():
    def by_arccos(a, b):
        return torch.acos((a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1)))

    def by_atan(a, b):
        return torch.atan2(torch.linalg.cross(a, b).norm(dim=1), (a * b).sum(1))

    first = F.normalize(randn(400, 3), dim=1)
    return by_arccos, by_atan, (first, F.normalize(torch.linalg.cross(first, randn(400, 3)) + 0.3 * first, dim=1))


@ROOT.rounding("a signed area by two orders of the corners")
def r_signed_area():
    def area(a, b, c):
        return 0.5 * ((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]))

    return (lambda a, b, c: area(b, c, a)), area, tuple(randn(1500, 2) for _ in range(3))


@ROOT.unstable("a signed area far from the origin by products of coordinates")
def m_signed_area_far_away():
    def area(a, b, c):
        return 0.5 * ((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]))

    def shoelace(a, b, c):
        def cross(p, q):
            return p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]

        return 0.5 * (cross(a, b) + cross(b, c) + cross(c, a))

    return shoelace, area, tuple(randn(1500, 2) + 300.0 for _ in range(3))


@ROOT.unstable("a variance in one pass in a loss")
def m_variance_in_one_pass_in_a_loss():
    def one_pass(x):
        return torch.log((x * x).mean(1) - x.mean(1) ** 2)

    return one_pass, (lambda x: torch.log(x.var(1, correction=0))), (randn(300, 64) * 0.1 + 10.0,)


@ROOT.rounding("a logarithm of a sum about its largest term")
def r_logarithm_of_a_sum():
    def about_the_mean(x):
        center = x.mean(1, keepdim=True)
        return (x - center).exp().sum(1).log() + center[:, 0]

    return about_the_mean, (lambda x: torch.logsumexp(x, 1)), (randn(500, 20),)


@ROOT.unstable("the tail of a normal distribution as one minus the rest")
def m_tail_of_a_normal_distribution():
    def tail(x):
        return 1.0 - 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))

    return tail, (lambda x: 0.5 * torch.erfc(x / math.sqrt(2.0))), (torch.rand(1000) * 2 + 2.5,)
