"""Discrete outputs: near ties that rounding decides, and rules that decide otherwise in every precision."""

from __future__ import annotations

import torch

from ..algorithms import randn
from .root import Root

ROOT = Root("discrete")


def _grid(count, step):
    """Numbers of which many lie on the edges between steps, up to rounding of the quotient."""
    return (torch.randint(-400, 400, (count,)).double() * step).float()


@ROOT.flip("the cell of a point on an edge, by quotient and by product")
def r_cell_of_a_point_on_an_edge():
    return (lambda x: torch.floor(x * (1.0 / 0.1)).long()), (lambda x: torch.floor(x / 0.1).long()), (_grid(3000, 0.1),)


@ROOT.mistake("the cell of a point, rounded up")
def m_cell_of_a_point_rounded_up():
    return (lambda x: torch.ceil(x / 0.25).long()), (lambda x: torch.floor(x / 0.25).long() + 1), (_grid(3000, 0.125),)


@ROOT.flip("int8 by scale, by a product with the reciprocal")
def r_int8_by_the_reciprocal():
    def quantized(x):
        return torch.clamp(torch.round(x * (1.0 / 0.07)), -128, 127).to(torch.int8)

    def plain(x):
        return torch.clamp(torch.round(x / 0.07), -128, 127).to(torch.int8)

    return quantized, plain, (_grid(4000, 0.035),)


@ROOT.mistake("int8 that rounds halves away from zero")
def m_int8_rounds_halves_away():
    def away(x):
        y = x / 0.5
        return torch.clamp(torch.sign(y) * torch.floor(y.abs() + 0.5), -128, 127).to(torch.int8)

    return away, (lambda x: torch.clamp(torch.round(x / 0.5), -128, 127).to(torch.int8)), (_grid(2000, 0.25),)


@ROOT.flip("a comparison at equal sums, in another order")
def r_comparison_at_equal_sums():
    a, b = randn(2000), randn(2000)
    c = (a.double() + b.double()).float()
    return (lambda a, b, c: (b - c) >= -a), (lambda a, b, c: a + b >= c), (a, b, c)


@ROOT.mistake("a comparison that leaves out equality")
def m_comparison_without_equality():
    return (lambda a, b: a > b), (lambda a, b: a >= b), (torch.randint(0, 20, (1000,)).float(), torch.randint(0, 20, (1000,)).float())


@ROOT.flip("bins of a histogram, by edges and by width")
def r_bins_of_a_histogram():
    edges = torch.arange(0, 21, dtype=torch.float64) * 0.05

    def by_edges(x):
        return torch.bucketize(x, edges.to(x.dtype), right=True)

    return (lambda x: torch.floor(x / 0.05).long() + 1), by_edges, ((torch.randint(0, 20, (2000,)).double() * 0.05).float(),)


@ROOT.mistake("bins of a histogram, one too far")
def m_bins_of_a_histogram():
    return (lambda x: torch.floor(x / 0.05 + 1e-3).long()), (lambda x: torch.floor(x / 0.05).long()), (torch.rand(4000),)


@ROOT.flip("the nearest of two centers, by expanded squares")
def r_nearest_of_two_centers():
    def expanded(x, c):
        return (c.square().sum(1) - 2.0 * x @ c.T).argmin(1)

    centers = torch.tensor([[1.0, 2.0], [-1.0, 0.5]])
    middle = centers.double().mean(0) + torch.linspace(-2, 2, 500, dtype=torch.float64)[:, None] * torch.tensor([1.5, -2.0]).double()
    return expanded, (lambda x, c: (x[:, None] - c).square().sum(2).argmin(1)), (middle.float(), centers)


@ROOT.mistake("the last of equal maxima")
def m_last_of_equal_maxima():
    def last(x):
        return x.shape[1] - 1 - x.flip(1).argmax(1)

    return last, (lambda x: x.argmax(1)), (torch.randint(0, 4, (300, 10)).float(),)


def _shuffled(numbers):
    """A congruential generator, in whole numbers."""
    return (numbers * 1103515245 + 12345) % 2147483648


@ROOT.mistake("a congruential generator through float64, whose products don't fit", declared="float64")
def m_generator_through_float64():
    def shuffled(numbers):
        return torch.remainder(numbers.double() * 1103515245 + 12345, 2147483648).long()

    return shuffled, _shuffled, (torch.arange(1, 2**31, 2**23),)


@ROOT.rounding("a congruential generator by halves", declared="float64", verdict="IDENTICAL")
def r_generator_by_halves():
    def shuffled(numbers):
        high, low = numbers >> 16, numbers & 65535
        return (((high * 1103515245) % 32768 << 16) + low * 1103515245 + 12345) & 2147483647

    return shuffled, _shuffled, (torch.arange(1, 2**31, 2**23),)
