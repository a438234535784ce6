"""Errors of one sign: a gain or an offset of a few u, hidden in the rounding of each single element."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from ..algorithms import randn
from .root import Root

ROOT = Root("one-sided")
U = 2.0**-24


@ROOT.mistake("a factor of 1 + 3 u in float32")
def m_gain_of_three_u():
    return (lambda x, w: (x @ w) * (1.0 + 3 * U)), torch.matmul, (randn(128, 256), randn(256, 128))


@ROOT.rounding("a product in blocks")
def r_gain_of_none():
    def blocks(x, w):
        return x[:, :128] @ w[:128] + x[:, 128:] @ w[128:]

    return blocks, torch.matmul, (randn(128, 256), randn(256, 128))


@ROOT.mistake("a factor of 1 + 4 u in NumPy's float32")
def m_gain_in_numpy():
    def scaled(x):
        return np.exp(x) * np.float32(1.0 + 4 * U)

    return scaled, np.exp, (np.random.default_rng(0).normal(size=5000).astype(np.float32),)


@ROOT.rounding("an exponential through base two in NumPy's float32")
def r_no_gain_in_numpy():
    def scaled(x):
        return np.exp(x * np.float32(0.5)) ** 2

    return scaled, np.exp, (np.random.default_rng(0).uniform(-1.0, 1.0, 5000).astype(np.float32),)


@ROOT.mistake("a factor of 1.012 in a bfloat16 product", declared="bfloat16")
def m_gain_in_bfloat16():
    return (lambda x, w: x @ (w * 1.012)), torch.matmul, (randn(64, 128).bfloat16(), randn(128, 64).bfloat16())


@ROOT.mistake("a factor of 1.002 in float16, after the cast", declared="float16")
def m_gain_in_float16():
    def scaled(x):
        return (torch.softmax(x.float(), -1) * 1.002).to(x.dtype)

    return scaled, (lambda x: torch.softmax(x, -1)), (randn(64, 128).half(),)


@ROOT.rounding("softmax in float16 through float32", declared="float16")
def r_softmax_in_float16():
    return (lambda x: torch.softmax(x.float(), -1).to(x.dtype)), (lambda x: torch.softmax(x, -1)), (randn(64, 128).half(),)


@ROOT.mistake("a mean over one element more")
def m_mean_over_one_more():
    return (lambda x: x.sum(-1) / (x.shape[-1] + 1)), (lambda x: x.mean(-1)), (torch.rand(2000, 3000) + 0.5,)


@ROOT.rounding("a mean by halves")
def r_mean_by_halves():
    return (lambda x: 0.5 * (x[:, :1500].mean(-1) + x[:, 1500:].mean(-1))), (lambda x: x.mean(-1)), (torch.rand(400, 3000) + 0.5,)


@ROOT.mistake("a rate of learning of 0.0010001")
def m_rate_of_learning():
    def step(rate):
        return lambda w, g: w - rate * g

    return step(0.0010001), step(0.001), (randn(4000) * 1e-4, randn(4000))


@ROOT.rounding("a step of descent by add_")
def r_step_of_descent():
    return (lambda w, g: w.clone().add_(g, alpha=-0.001)), (lambda w, g: w - 0.001 * g), (randn(4000), randn(4000))


@ROOT.mistake("dropout's scale of 1.1111", declared="float32")
def m_scale_of_dropout():
    def dropped(scale):
        return lambda x, kept: F.relu(x) * kept * scale

    return dropped(1.111111), dropped(1.0 / 0.9), (randn(100, 100), (torch.rand(100, 100) < 0.9).float())


@ROOT.rounding("dropout's scale by division")
def r_scale_of_dropout():
    kept = (torch.rand(100, 100) < 0.9).float()
    return (lambda x: F.relu(x) * kept / 0.9), (lambda x: F.relu(x) * (kept * (1.0 / 0.9))), (randn(100, 100),)
