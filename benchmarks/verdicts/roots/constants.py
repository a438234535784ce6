"""Another constant, with equal weights: the difference stays in float64 however small it is. A constant that is stored rounded is none."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..algorithms import randn
from .root import Root

ROOT = Root("constants")
EARTH = 6371.0088


def _layer_norm(x, eps):
    center = x - x.mean(-1, keepdim=True)
    return center * torch.rsqrt(center.square().mean(-1, keepdim=True) + eps)


@ROOT.mistake("an epsilon of a layer normalization left at its default")
def m_epsilon_of_a_layer_norm():
    return (lambda x: F.layer_norm(x, (96,), eps=1e-6)), (lambda x: F.layer_norm(x, (96,), eps=1e-5)), (randn(40, 96),)


@ROOT.rounding("a layer normalization by its formula")
def r_layer_norm_by_its_formula():
    return (lambda x: _layer_norm(x, 1e-5)), (lambda x: F.layer_norm(x, (96,), eps=1e-5)), (randn(40, 96),)


@ROOT.mistake("an epsilon of 1e-12 in a batch normalization")
def m_epsilon_of_a_batch_norm():
    def normalized(eps):
        return lambda x, m, v: F.batch_norm(x, m, v, eps=eps)

    return normalized(1e-12), normalized(1e-5), (randn(6, 12, 9, 9), randn(12), torch.rand(12) + 1.0)


@ROOT.rounding("a batch normalization folded into scale and shift")
def r_batch_norm_folded():
    def folded(x, m, v):
        scale = torch.rsqrt(v + 1e-5)[:, None, None]
        return x * scale - m[:, None, None] * scale

    return folded, (lambda x, m, v: F.batch_norm(x, m, v)), (randn(6, 12, 9, 9), randn(12), torch.rand(12) + 1.0)


@ROOT.mistake("an epsilon in bfloat16, three roundings large", declared="bfloat16")
def m_epsilon_in_bfloat16():
    def normalized(eps):
        return lambda x: F.layer_norm(x, (128,), eps=eps)

    return normalized(3e-2), normalized(1e-5), (randn(32, 128).bfloat16(),)


@ROOT.rounding("a layer normalization in bfloat16 through float32", declared="bfloat16")
def r_layer_norm_in_bfloat16_through_float32():
    return (lambda x: _layer_norm(x.float(), 1e-5).to(x.dtype)), (lambda x: F.layer_norm(x, (128,))), (randn(32, 128).bfloat16(),)


@ROOT.mistake("a scale of 1.01 in bfloat16", declared="bfloat16")
def m_scale_of_101_hundredths_in_bfloat16():
    return (lambda x, w: (x @ w) * 1.01), torch.matmul, (randn(24, 200).bfloat16(), randn(200, 30).bfloat16())


@ROOT.rounding("a scale of 1 in bfloat16", declared="bfloat16")
def r_product_in_halves_in_bfloat16():
    def halves(x, w):
        return (x[:, :100].float() @ w[:100].float() + x[:, 100:].float() @ w[100:].float()).to(x.dtype)

    return halves, torch.matmul, (randn(24, 200).bfloat16(), randn(200, 30).bfloat16())


@ROOT.mistake("the hyperbolic form of GELU in float16", declared="float16")
def m_form_of_gelu_in_float16():
    return (lambda x: F.gelu(x, approximate="tanh")), F.gelu, ((randn(64, 64) * 2.0).half(),)


@ROOT.rounding("GELU by the error function in float16", declared="float16")
def r_gelu_by_the_error_function_in_float16():
    def gelu(x):
        wide = x.float()
        return (0.5 * wide * (1.0 + torch.erf(wide / math.sqrt(2.0)))).to(x.dtype)

    return gelu, F.gelu, ((randn(64, 64) * 2.0).half(),)


@ROOT.mistake("a radius of the Earth of 6371 km for 6371.0088 km")
def m_radius_of_the_earth():
    def distance(radius):
        def run(a, b):
            return radius * torch.linalg.vector_norm(a / a.norm(dim=1, keepdim=True) - b / b.norm(dim=1, keepdim=True), dim=1)

        return run

    return distance(6371.0), distance(EARTH), (randn(300, 3), randn(300, 3))


@ROOT.rounding("a radius with the digits that float32 holds")
def r_radius_in_float32():
    radius = torch.tensor(EARTH, dtype=torch.float32)
    return (lambda a: radius * torch.sin(a)), (lambda a: EARTH * torch.sin(a)), (torch.rand(500) + 0.3,)


@ROOT.mistake("swish for GELU in the form with 1.702, far out", declared="bfloat16")
def m_swish_for_quick_gelu():
    return (lambda x: x * torch.sigmoid(1.65 * x)), (lambda x: x * torch.sigmoid(1.702 * x)), (randn(50, 60).bfloat16(),)


@ROOT.rounding("quick GELU by SiLU", declared="bfloat16")
def r_quick_gelu_by_silu():
    def quick(x):
        wide = x.float()
        return (F.silu(1.702 * wide) / 1.702).to(x.dtype)

    return quick, (lambda x: x * torch.sigmoid(1.702 * x)), (randn(50, 60).bfloat16(),)


@ROOT.mistake("gravity of 9.81 for 9.80665 in a fall of many steps")
def m_gravity():
    def fall(g):
        def run(height, speed):
            for _ in range(20):
                speed = speed - g * 0.01
                height = height + speed * 0.01
            return height

        return run

    return fall(9.81), fall(9.80665), (torch.rand(200) * 10 + 10, randn(200))


@ROOT.rounding("a fall of many steps, its gravity taken together")
def r_gravity_taken_together():
    def fall(height, speed):
        for _ in range(20):
            speed = speed - 9.80665 * 0.01
            height = height + speed * 0.01
        return height

    def other(height, speed):
        step = 9.80665 * 0.01
        return height + 20 * 0.01 * speed - 0.01 * step * 210.0

    return fall, other, (torch.rand(200) * 10 + 10, randn(200))


@ROOT.rounding("a table of cosines captured in float32")
def r_table_of_cosines():
    angles = torch.arange(64, dtype=torch.float64)[:, None] * torch.logspace(0, -4, 16, dtype=torch.float64)
    table = angles.cos().float()
    return (lambda x: x * table), (lambda x: x * angles.cos().to(x.dtype)), (randn(64, 16),)


@ROOT.mistake("a table of cosines with another base")
def m_table_of_cosines_with_another_base():
    def table(base):
        angles = torch.arange(64, dtype=torch.float64)[:, None] * base ** (-torch.arange(16, dtype=torch.float64) / 16)
        return lambda x: x * angles.cos().to(x.dtype)

    return table(10000.5), table(10000.0), (randn(64, 16),)


@ROOT.rounding("an image normalized with means stored in float32")
def r_image_normalized_by_stored_means():
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])

    def stored(x):
        return (x - mean[:, None, None]) / std[:, None, None]

    def given(x):
        return torch.stack([(x[:, k] - m) / s for k, (m, s) in enumerate([(0.485, 0.229), (0.456, 0.224), (0.406, 0.225)])], 1)

    return stored, given, (torch.rand(2, 3, 16, 16),)


@ROOT.mistake("an image normalized with a mean of another set")
def m_image_normalized_by_another_mean():
    def normalized(mean):
        return lambda x: (x - mean) / 0.229

    return normalized(0.48502), normalized(0.485), (torch.rand(2, 16, 16),)


def _folded(epsilon):
    """A convolution with the normalization after it folded into its weights, and the two as they were."""
    torch.manual_seed(5)
    conv, norm = nn.Conv2d(6, 8, 3, bias=False), nn.BatchNorm2d(8).eval()
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2.0)
    folded = nn.Conv2d(6, 8, 3)
    scale = norm.weight / torch.sqrt(norm.running_var + epsilon)
    folded.weight.data = conv.weight * scale[:, None, None, None]
    folded.bias.data = norm.bias - norm.running_mean * scale
    return folded, nn.Sequential(conv, norm), (randn(2, 6, 14, 14),)


@ROOT.rounding("a folded convolution, its weights stored in float32")
def r_folded_convolution():
    return _folded(1e-5)


@ROOT.mistake("a folded convolution without the epsilon")
def m_folded_convolution_without_epsilon():
    return _folded(0.0)


@ROOT.rounding("a window of SciPy's kind stored in float32, in NumPy")
def r_window_stored_in_float32():
    n = np.arange(128)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * n / 128)).astype(np.float32)

    def stored(x):
        return x * torch.from_numpy(window).to(x.dtype)

    return stored, (lambda x: x * torch.hann_window(128, dtype=x.dtype)), (randn(20, 128),)


@ROOT.mistake("a symmetric window for a periodic one of many points")
def m_symmetric_window():
    def windowed(periodic):
        return lambda x: x * torch.hann_window(4096, periodic=periodic, dtype=x.dtype)

    return windowed(False), windowed(True), (randn(4, 4096),)


def _through_numpy(function):
    """A function of arrays, on tensors: what it rounds inside is out of reach."""
    return lambda *tensors: torch.from_numpy(np.asarray(function(*(tensor.numpy() for tensor in tensors))))


def _attention_in_numpy(scale):
    def attention(q, k, v):
        scores = ((q @ k.swapaxes(-1, -2)) * scale).astype(np.float32)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True)).astype(v.dtype) @ v

    return _through_numpy(attention)


def _queries():
    return tuple(randn(3, 48, 24) for _ in range(3))


@ROOT.rounding("an attention whose softmax is in float32 whatever it is given")
def r_softmax_in_float32_inside():
    return _attention_in_numpy(24**-0.5), F.scaled_dot_product_attention, _queries()


@ROOT.mistake("an attention whose softmax is in float32, with a scale of another width")
def m_scale_of_another_width_and_softmax_in_float32():
    return _attention_in_numpy(0.2041), F.scaled_dot_product_attention, _queries()


def _statistics_in_float32(epsilon):
    def normalized(x):
        narrow = x.astype(np.float32)
        center = narrow - narrow.mean(-1, keepdims=True)
        return (x - narrow.mean(-1, keepdims=True)) / np.sqrt(np.square(center).mean(-1, keepdims=True) + np.float32(epsilon))

    return _through_numpy(normalized)


@ROOT.rounding("a normalization whose statistics are in float32 whatever it is given")
def r_statistics_in_float32_inside():
    return _statistics_in_float32(1e-5), (lambda x: F.layer_norm(x, (90,), eps=1e-5)), (randn(50, 90),)


@ROOT.mistake("a normalization whose statistics are in float32, with another epsilon")
def m_epsilon_and_statistics_in_float32():
    return _statistics_in_float32(1e-6), (lambda x: F.layer_norm(x, (90,), eps=1e-5)), (randn(50, 90),)


@ROOT.rounding("a product that leaves float32 for its sum")
def r_terms_in_float32_inside():
    return (
        _through_numpy(lambda a, b: (a * b).astype(np.float32).astype(a.dtype).sum(-1)),
        (lambda a, b: (a * b).sum(-1)),
        (
            randn(40, 300),
            randn(40, 300),
        ),
    )


@ROOT.rounding("a mean of squares rounded to float32 before its root")
def r_norm_rounded_before_its_root():
    def norm(x):
        return np.sqrt(np.square(x).sum(-1).astype(np.float32).astype(x.dtype) / x.dtype.type(x.shape[-1]))

    return _through_numpy(norm), (lambda x: x.square().mean(-1).sqrt()), (randn(7, 200),)


def _brightness(x):
    return torch.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def _brightness_in_numpy(power, kind=np.float32):
    def brightness(x, kind=kind):
        bent = np.exp(np.log((x + kind(0.055)) / kind(1.055)) * kind(power))
        return np.where(x <= kind(0.04045), x / kind(12.92), bent)

    return _through_numpy(brightness)


@ROOT.rounding("the curve of sRGB with constants of NumPy's float32")
def r_curve_with_constants_of_float32():
    return _brightness_in_numpy(2.4), _brightness, (torch.rand(50, 50),)


@ROOT.mistake("the curve of sRGB with constants of NumPy's float32 and another power")
def m_curve_with_another_power():
    return _brightness_in_numpy(2.4001), _brightness, (torch.rand(50, 50),)
