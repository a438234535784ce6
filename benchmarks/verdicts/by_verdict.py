"""Pairs for the verdicts between rounding and mistake, each at least once in an op and once in a whole model."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .algorithms import T, fft_conv, randn, winograd43_conv, winograd_conv
from .models import MODELS
from .registry import mistake, rounding, undecidable
from .rewrites import Rewritten, linear_blocked, linear_unfused

BY_NAME = {model.name: model for model in MODELS}


def _model(name, seed=0):
    return BY_NAME[name].make(seed)


def _in_calls(function, **calls):
    def run(*inputs):
        with Rewritten(calls):
            return function(*inputs)

    return run


def _cut(t, bits=13):
    """float32 without its low bits: what a tensor core takes of it."""
    return (t.contiguous().view(torch.int32) & -(1 << bits)).view(torch.float32)


# Reduced precision.


@mistake("tf32", "TF32 by truncation in a product", tags=("precision",), verdict="REDUCED_PRECISION")
def m_product_in_truncated_tf32():
    return (lambda a, b: _cut(a) @ _cut(b)), torch.matmul, (randn(21, 90), randn(90, 17))


@rounding("tf32", "TF32 by truncation where TF32 is declared", tags=("precision",), declared="tf32", verdict="ROUNDING")
def r_product_in_truncated_tf32_declared():
    return (lambda a, b: _cut(a) @ _cut(b)), torch.matmul, (randn(21, 90), randn(90, 17))


@mistake("bf16-inputs", "one layer of a transformer in bfloat16", tags=("precision", "model"), verdict="REDUCED_PRECISION")
def m_model_one_layer_in_bfloat16():
    net, inputs = _model("encoder_before")

    def coarse(func, x, weight, bias=None):
        return func(x.bfloat16(), weight.bfloat16(), None if bias is None else bias.bfloat16()).float()

    def run(x):
        with Rewritten({"linear": coarse}, at=4):
            return net(x)

    return run, net, inputs


@mistake("autocast", "autocast left on around a convolutional model", tags=("precision", "model"), verdict="REDUCED_PRECISION")
def m_model_under_autocast():
    net, inputs = _model("conv_small")

    def run(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return net(x).float()

    return run, net, inputs


@mistake(
    "weights-in-half", "a checkpoint saved in float16 and loaded into float32", tags=("precision", "model"), verdict="REDUCED_PRECISION"
)
def m_model_weights_rounded_to_half():
    net, inputs = _model("mlp_relu")
    rounded, _ = _model("mlp_relu")
    with torch.no_grad():
        for parameter in rounded.parameters():
            parameter.copy_(parameter.half())
    return rounded, net, inputs


def _chain_in(dtype):
    def f(a, b):
        total = torch.zeros(a.shape[0], b.shape[1], dtype=dtype)
        for k in range(a.shape[1]):
            total = (total.float() + a[:, k : k + 1] * b[k]).to(dtype)
        return total.float()

    return f


@mistake("accumulator", "float16 accumulator", tags=("precision",), verdict="REDUCED_PRECISION")
def m_product_accumulated_in_float16():
    return _chain_in(torch.float16), torch.matmul, (randn(12, 200), randn(200, 9))


@mistake("accumulator", "bfloat16 accumulator", tags=("precision",), verdict="REDUCED_PRECISION")
def m_product_accumulated_in_bfloat16():
    return _chain_in(torch.bfloat16), torch.matmul, (randn(12, 200), randn(200, 9))


@mistake(
    "storage",
    "activations stored in bfloat16 between ops, out of PyTorch's sight",
    tags=("precision", "model"),
    verdict="REDUCED_PRECISION",
)
def m_model_activations_stored_in_bfloat16():
    net, inputs = _model("mlp_relu")

    def run(x):
        for layer in net:
            bits = layer(x).detach().numpy().view(np.uint32)
            bits = bits + 0x7FFF + ((bits >> 16) & 1) & 0xFFFF0000
            x = T(bits.astype(np.uint32).view(np.float32))
        return x

    return run, net, inputs


@mistake(
    "float64-as-float32",
    "question 1: float64 silently run as float32",
    tags=("precision", "model"),
    declared="float64",
    verdict="REDUCED_PRECISION",
)
def m_float64_model_run_in_float32():
    net, (x,) = _model("mlp_deep_gelu")
    narrow, _ = _model("mlp_deep_gelu")
    return (lambda x: narrow(x.float()).double()), net.double(), (x.double(),)


@mistake("float64-as-float32", "float64 data, a constant table in float32", tags=("precision",), declared="float64")
def m_float64_window_from_float32():
    window = torch.hann_window(64)
    return (
        (lambda x: torch.fft.rfft(x * window.double()).abs()),
        (lambda x: torch.fft.rfft(x * torch.hann_window(64, dtype=x.dtype)).abs()),
        (randn(5, 64).double(),),
    )


@rounding(
    "declared-bfloat16",
    "a bfloat16 model, one product in another order",
    tags=("precision", "model"),
    declared="bfloat16",
)
def r_model_in_bfloat16():
    net, (x,) = _model("mlp_deep_gelu")
    net = net.bfloat16()

    def wide(func, x, weight, bias=None):
        return (x.float() @ weight.float().T + bias.float()).bfloat16()

    return _in_calls(net, linear=wide), net, (x.bfloat16(),)


@rounding("declared-float16", "a float16 product accumulated wide, in blocks", tags=("precision",), declared="float16")
def r_product_in_float16_blocked():
    return (
        (lambda a, b: (a[:, :50].float() @ b[:50].float() + a[:, 50:].float() @ b[50:].float()).half()),
        (lambda a, b: a @ b),
        (randn(9, 130).half(), randn(130, 7).half()),
    )


# Unstable algorithms.


@mistake("one-pass-variance", "mean of squares minus square of the mean", tags=("unstable",), verdict="UNSTABLE")
def m_variance_in_one_pass():
    return (lambda x: (x * x).mean(-1) - x.mean(-1) ** 2), (lambda x: x.var(-1, unbiased=False)), (randn(16, 200) + 100.0,)


@mistake("softmax-without-maximum", "log of softmax", tags=("unstable",))
def m_log_of_subnormal_softmax():
    return (
        (lambda x: torch.log(torch.softmax(x, -1))),
        (lambda x: torch.log_softmax(x, -1)),
        (torch.cat([randn(12, 20), randn(12, 1) + 97.0], 1),),
    )


@mistake("log1p-written-out", "log(1 + x) for small x", tags=("unstable",), verdict="UNSTABLE")
def m_log_of_one_plus():
    return (lambda x: torch.log(1.0 + x)), torch.log1p, (torch.rand(200) * 1e-4 + 1e-6,)


@mistake("expm1-written-out", "exp(x) - 1 for small x", tags=("unstable",), verdict="UNSTABLE")
def m_exp_minus_one():
    return (lambda x: torch.exp(x) - 1.0), torch.expm1, (torch.rand(200) * 1e-4 + 1e-6,)


@mistake("cancellation", "root of the quadratic formula that cancels", tags=("unstable",), verdict="UNSTABLE")
def m_quadratic_root():
    def stable(b, c):
        return 2.0 * c / (-b - torch.sqrt(b * b - 4.0 * c))

    return (lambda b, c: (-b + torch.sqrt(b * b - 4.0 * c)) / 2.0), stable, (torch.rand(50) * 50 + 60, torch.rand(50) * 0.01 + 0.01)


@mistake("cancellation", "squared distance from squared norms and a product", tags=("unstable",), verdict="UNSTABLE")
def m_distance_by_expansion():
    def expanded(x, y):
        return (x * x).sum(-1)[:, None] + (y * y).sum(-1) - 2.0 * x @ y.T

    x = randn(12, 8) + 40.0
    return expanded, (lambda x, y: (x[:, None] - y).square().sum(-1)), (x, x + 0.01 * randn(12, 8))


@mistake("one-pass-variance", "a model whose group norm takes the variance in one pass", tags=("unstable", "model"), verdict="UNSTABLE")
def m_model_one_pass_group_norm():
    torch.manual_seed(4)
    net = nn.Sequential(nn.GroupNorm(2, 6), nn.Conv2d(6, 4, 1)).eval()

    def one_pass(func, x, groups, weight=None, bias=None, eps=1e-5):
        parts = x.reshape(x.shape[0], groups, -1)
        mean = parts.mean(-1, keepdim=True)
        var = (parts * parts).mean(-1, keepdim=True) - mean * mean
        return ((parts - mean) * torch.rsqrt(var + eps)).reshape(x.shape) * weight[:, None, None] + bias[:, None, None]

    return _in_calls(net, group_norm=one_pass), net, (randn(2, 6, 9, 9) + 300.0,)


@mistake(
    "softmax-without-maximum",
    "an attention model whose softmax leaves out the maximum overflows",
    tags=("model", "special"),
    verdict="UNSTABLE",
)
def m_model_softmax_overflows():
    net, (x,) = _model("encoder_before")
    plain = lambda func, s, dim=-1, **_: torch.exp(s * 400.0) / torch.exp(s * 400.0).sum(dim, keepdim=True)
    stable = lambda func, s, dim=-1, **_: func(s * 400.0, dim)
    return _in_calls(net, softmax=plain), _in_calls(net, softmax=stable), (x,)


def _conv(x, w, b):
    return F.conv2d(x, w, b, padding=1)


def _weights(out, channels):
    return randn(out, channels, 3, 3) / math.sqrt(9 * channels), randn(out)


@rounding("Winograd", "F(2x2, 3x3)", tags=("hard",), verdict="ROUNDING")
def r_winograd_two():
    return winograd_conv, _conv, (randn(2, 24, 16, 16), *_weights(20, 24))


@rounding("Winograd", "F(4x4, 3x3), a digit lost by design", tags=("hard",), verdict="ROUNDING")
def r_winograd_four():
    return winograd43_conv, _conv, (randn(2, 48, 16, 16), *_weights(12, 48))


@rounding("FFT", "convolution by Fourier transform", tags=("hard",), verdict="ROUNDING")
def r_conv_by_fourier_transform():
    return fft_conv, _conv, (randn(2, 16, 20, 20), *_weights(8, 16))


@rounding("Strassen", "two levels of Strassen's product", tags=("hard",), verdict="ROUNDING")
def r_strassen_two_levels():
    def strassen(a, b, levels=2):
        if not levels:
            return a @ b
        h = a.shape[0] // 2
        a11, a12, a21, a22, b11, b12, b21, b22 = a[:h, :h], a[:h, h:], a[h:, :h], a[h:, h:], b[:h, :h], b[:h, h:], b[h:, :h], b[h:, h:]
        go = lambda left, right: strassen(left, right, levels - 1)
        m1, m2, m3 = go(a11 + a22, b11 + b22), go(a21 + a22, b11), go(a11, b12 - b22)
        m4, m5, m6, m7 = go(a22, b21 - b11), go(a11 + a12, b22), go(a21 - a11, b11 + b12), go(a12 - a22, b21 + b22)
        return torch.cat([torch.cat([m1 + m4 - m5 + m7, m3 + m5], 1), torch.cat([m2 + m4, m1 - m2 + m3 + m6], 1)])

    return strassen, torch.matmul, (randn(64, 64), randn(64, 64))


# Jumps.


@rounding("argmax", "two logits nearly tied, in another order of summation", tags=("discontinuous",), verdict="FLIP")
def r_class_of_nearly_tied_logits():
    half, w = randn(400, 150), randn(10, 300) / 300
    w[1] = w[0].flip(0)  # on palindromic rows tied with w[0] but for the last bits of one weight
    w[1, 0] *= 1.0 + 2.0**-20
    chain = lambda x, w: torch.stack([(x * row).cumsum(-1)[:, -1] for row in w], -1).argmax(-1)
    return chain, (lambda x, w: (x @ w.T).argmax(-1)), (torch.cat([half, half.flip(1)], 1), w)


@rounding("rounding-to-steps", "quantisation of a sum on the edge of two steps", tags=("discontinuous",), verdict="FLIP")
def r_quantised_on_an_edge():
    x = torch.rand(60, 50)
    x = x / x.double().sum(-1, keepdim=True).float() * 4.5
    return (lambda x: torch.round(x.flip(-1).cumsum(-1)[:, -1]).int()), (lambda x: torch.round(x.sum(-1)).int()), (x,)


@rounding("routing", "a mixture of experts routes a token whose experts are tied", tags=("discontinuous", "model"), verdict="FLIP")
def r_model_routes_a_tied_token():
    torch.manual_seed(6)
    router, experts = nn.Linear(40, 4, bias=False), nn.ModuleList([nn.Linear(40, 5) for _ in range(4)])
    with torch.no_grad():  # on palindromic tokens the first two experts are tied but for the last bit of one weight
        router.weight[1] = router.weight[0].flip(0)
        router.weight[1, 0] *= 1.0 + 2.0**-22

    def model(function):
        def f(x):
            every = torch.stack([expert(x) for expert in experts], 1)
            chosen = function(x).argmax(-1)
            return every[torch.arange(len(x)), chosen], chosen

        return f

    half = randn(200, 20)
    return model(lambda x: F.linear(x.flip(-1), router.weight.flip(1))), model(router), (torch.cat([half, half.flip(1)], 1),)


@mistake("tie-rule", "the last of equal maxima instead of the first", tags=("discontinuous",), verdict="MISTAKE")
def m_argmax_takes_the_last():
    x = torch.randint(0, 4, (50, 9)).float()
    return (lambda x: x.shape[-1] - 1 - x.flip(-1).argmax(-1)), (lambda x: x.argmax(-1)), (x,)


@mistake("rounding-rule", "halves rounded up instead of to even", tags=("discontinuous",), verdict="MISTAKE")
def m_rounds_halves_up():
    return (lambda x: torch.floor(x + 0.5)), torch.round, (torch.arange(-20, 20) / 2.0,)


# Results that change from run to run.


@mistake("dropout", "dropout left on in a model", tags=("random", "model"), verdict="NONDETERMINISTIC")
def m_model_dropout_left_on():
    net, inputs = _model("mlp_relu")
    return nn.Sequential(*net[:2], nn.Dropout(0.1), *net[2:]).train(), net, inputs


@mistake("race", "a sum in an order that no seed decides, and one term lost now and then", tags=("random",), verdict="NONDETERMINISTIC")
def m_sum_loses_terms_at_random():
    import secrets

    def f(x):
        kept = torch.ones(x.shape[-1])
        kept[secrets.randbelow(x.shape[-1])] = 0.0
        return (x * kept).sum(-1)

    return f, (lambda x: x.sum(-1)), (torch.rand(8, 64),)


@rounding("random-order", "a sum in random order: it differs from run to run within rounding", tags=("random",), verdict="ROUNDING")
def r_sum_in_random_order():
    import random as chance

    def f(x):
        order = torch.tensor(chance.SystemRandom().sample(range(x.shape[-1]), x.shape[-1]))
        return x[..., order].cumsum(-1)[..., -1]

    return f, (lambda x: x.sum(-1)), (torch.rand(30, 500),)


@rounding("same-bits", "a view against a copy", verdict="IDENTICAL")
def r_same_bits():
    return (lambda x: x.T.contiguous().T * 2.0), (lambda x: x + x), (randn(8, 9),)


@rounding("same-bits", "integers, exact in any order", verdict="IDENTICAL")
def r_integers_in_any_order():
    make = lambda *shape: torch.randint(-8, 9, shape).float()
    return (lambda a, b: (a[:, :, None] * b).flip(1).sum(1)), torch.matmul, (make(14, 60), make(60, 11))


@rounding("fusion", "a transformer block with every linear layer unfused", tags=("model",), verdict="ROUNDING")
def r_model_unfused():
    net, inputs = _model("decoder_causal")
    return _in_calls(net, linear=linear_blocked), net, inputs


# What can't be told.


@undecidable("all-NaN", "every element is NaN on both sides", tags=("special",))
def u_everything_is_nan():
    return (lambda x: x - math.inf + math.inf), (lambda x: x * math.nan), (randn(5),)


@undecidable("all-NaN", "a model with an infinite weight", tags=("special", "model"))
def u_model_of_nan():
    net, inputs = _model("mlp_relu")
    with torch.no_grad():
        net[0].weight.fill_(math.inf)
        net[2].weight.mul_(0.0)
    return _in_calls(net, linear=linear_unfused), net, inputs


@undecidable("opaque-chain", "two chains that halfulp can't look into, one much longer", tags=("opaque",))
def u_chains_out_of_sight():
    return (
        (lambda x: T(np.add.accumulate(x.numpy(), -1)[..., -1].copy())),
        (lambda x: T(np.add.accumulate(x.numpy()[..., ::-1], -1)[..., -1].copy())),
        ((1.0 / torch.arange(1, 4001, dtype=torch.float64) ** 2).float()[None] * torch.tensor([[1.0], [3.3]]),),
    )
