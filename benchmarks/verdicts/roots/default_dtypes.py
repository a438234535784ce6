"""Tensors made in the default dtype inside a float64 function; and tensors that are rightly so."""

from __future__ import annotations

import math

import torch

from ..algorithms import randn
from .root import Root

ROOT = Root("default dtype", "float64")


@ROOT.coarse("a linspace in the default dtype")
def m_linspace_in_the_default_dtype():
    return (
        (lambda x: x * torch.linspace(0.0, 1.0, 300)),
        (lambda x: x * torch.linspace(0, 1, 300, dtype=x.dtype)),
        (randn(20, 300).double(),),
    )


@ROOT.rounding("a linspace by its formula")
def r_linspace_by_its_formula():
    def formula(x):
        return x * (torch.arange(300, dtype=x.dtype) / 299)

    return formula, (lambda x: x * torch.linspace(0, 1, 300, dtype=x.dtype)), (randn(20, 300).double(),)


@ROOT.coarse("a constant of torch.tensor")
def m_constant_of_torch_tensor():
    return (lambda x: torch.sin(x * torch.tensor([0.1]))), (lambda x: torch.sin(x * 0.1)), (randn(500).double(),)


@ROOT.coarse("a buffer of zeros that sums are kept in")
def m_buffer_of_zeros():
    def kept(x):
        total = torch.zeros(x.shape[1])
        for row in x:
            total += row
        return total.to(x.dtype)

    return kept, (lambda x: x.sum(0)), (randn(50, 40).double(),)


@ROOT.rounding("sums kept in a buffer of the data's dtype")
def r_buffer_of_zeros_like():
    def kept(x):
        total = torch.zeros_like(x[0])
        for row in x:
            total += row
        return total

    return kept, (lambda x: x.sum(0)), (randn(50, 40).double(),)


@ROOT.coarse("frequencies of a positional encoding")
def m_frequencies_of_a_positional_encoding():
    def encoded(x):
        rates = 10000 ** (-torch.arange(0, 32, 2) / 32)
        return x * torch.cos(torch.arange(60)[:, None] * rates)

    def exact(x):
        rates = 10000 ** (-torch.arange(0, 32, 2, dtype=x.dtype) / 32)
        return x * torch.cos(torch.arange(60, dtype=x.dtype)[:, None] * rates)

    return encoded, exact, (randn(60, 16).double(),)


@ROOT.coarse("a window in the default dtype")
def m_window_in_the_default_dtype():
    return (lambda x: x * torch.hann_window(256)), (lambda x: x * torch.hann_window(256, dtype=x.dtype)), (randn(8, 256).double(),)


@ROOT.mistake("another constant in float64, no wider than float32")
def m_another_constant_in_float64():
    return (lambda x: torch.cos(x * 3.14159)), (lambda x: torch.cos(x * math.pi)), (randn(400).double(),)


@ROOT.rounding("a mask in the default dtype, of ones and zeros")
def r_mask_in_the_default_dtype():
    return (lambda x: x * torch.ones(30, 30).tril()), torch.tril, (randn(5, 30, 30).double(),)
