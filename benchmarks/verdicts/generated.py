"""Honest pairs by the thousand: ops on random shapes and data, against the same op computed otherwise.

Each pair is drawn from a seed, so a false alarm can be looked at again: `honest_pair(number)`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from . import rewrites
from .algorithms import flash, kahan_sum, sdpa, seq_sum, winograd_conv
from .models import MODELS
from .rewrites import REWRITES, rewritten

Call = Callable[..., Any]
Draw = Callable[[random.Random], tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class HonestPair:
    """Two honest implementations and their inputs.

    Attributes:
        name: which op, which rewrite, which data. declared: the precision of both.
    """

    name: str
    actual: Call
    expected: Call
    inputs: tuple[Any, ...]
    declared: str = "float32"
    gradients: bool = False


def _normal(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.randn(shape)


def _positive(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.rand(shape)


def _large_mean(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.randn(shape) + 10.0


def _wide(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.randn(shape) * torch.exp(2.0 * torch.randn(shape))


def _small(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.randn(shape) * 1e-3


def _sparse(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.relu(torch.randn(shape))


CENTERED = {"normal": _normal, "wide": _wide, "small": _small, "sparse": _sparse}
DATA = {**CENTERED, "positive": _positive, "large mean": _large_mean}


@dataclass(frozen=True)
class Op:
    """An op with its honest alternatives.

    Attributes:
        expected: the op. shapes: draws the inputs' shapes. alternatives: name -> implementation. data: which data it is tried on.
        dtypes: which it is tried in.
    """

    expected: Call
    shapes: Callable[[random.Random], tuple[tuple[int, ...], ...]]
    alternatives: dict[str, Call]
    data: dict[str, Callable[[tuple[int, ...]], torch.Tensor]]
    dtypes: tuple[str, ...] = ("float32",)


def _through(expected: Call, prefix: str) -> dict[str, Call]:
    """The op with its own call replaced by each rewrite of that name."""
    return {name: rewritten(expected, calls) for name, calls in REWRITES.items() if name.startswith(prefix)}


def _linear(x: Any, weight: Any, bias: Any) -> Any:
    return F.linear(x, weight, bias)


def _conv(x: Any, weight: Any, bias: Any) -> Any:
    return F.conv2d(x, weight, bias, padding=1)


def _layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    return F.layer_norm(x, x.shape[-1:], weight, bias)


def _softmax(x: Any) -> Any:
    return F.softmax(x, -1)


def _variance_welford(x: Any) -> Any:
    mean, squares = x[..., 0], torch.zeros_like(x[..., 0])
    for count in range(1, x.shape[-1]):
        off = x[..., count] - mean
        mean = mean + off / (count + 1)
        squares = squares + off * (x[..., count] - mean)
    return squares / (x.shape[-1] - 1)


def _cross_entropy(x: Any) -> Any:
    return F.cross_entropy(x, torch.arange(x.shape[0]) % x.shape[1], reduction="none")


def _linear_gradients(x: Any, weight: Any) -> Any:
    x, weight = x.detach().requires_grad_(), weight.detach().requires_grad_()
    y = torch.tanh(F.linear(x, weight))
    return torch.autograd.grad((y * y.detach()).sum(), [x, weight])


def _linear_gradients_by_hand(x: Any, weight: Any) -> Any:
    y = torch.tanh(x @ weight.T)
    back = y * (1.0 - y * y)
    return back @ weight, back.T @ x


def sized(*choices: tuple[int, int]) -> Callable[[random.Random], tuple[int, ...]]:
    """Draws a size within each of the ranges."""
    return lambda rng: tuple(rng.randint(low, high) for low, high in choices)


def _linear_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    rows, k, columns = rng.randint(1, 24), rng.choice([7, 33, 64, 129, 300, 777]), rng.randint(1, 40)
    return (rows, k), (columns, k), (columns,)


def _conv_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    channels, out = rng.choice([1, 3, 8, 17, 32]), rng.choice([1, 5, 16])
    return (rng.randint(1, 3), channels, 2 * rng.randint(2, 7), 2 * rng.randint(2, 7)), (out, channels, 3, 3), (out,)


def _row_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    return ((rng.randint(1, 20), rng.choice([2, 5, 16, 63, 128, 500])),)


def _norm_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    size = rng.choice([4, 16, 63, 128, 400])
    return (rng.randint(1, 12), size), (size,), (size,)


def _attention_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    tokens, size = rng.randint(16, 60), rng.choice([8, 16, 48])
    return ((2, tokens, size),) * 3


def _product_shapes(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    rows, k, columns = rng.randint(1, 20), rng.choice([9, 50, 200, 1000]), rng.randint(1, 20)
    return (rows, k), (k, columns)


def _outer_products(left: Any, right: Any) -> Any:
    total = torch.zeros(left.shape[0], right.shape[1], dtype=left.dtype)
    for k in range(left.shape[1]):
        total = total + left[:, k : k + 1] * right[k]
    return total


WIDE_DTYPES = ("float32", "float32", "bfloat16", "float16", "float64")
OPS: dict[str, Op] = {
    "linear": Op(_linear, _linear_shapes, _through(_linear, "linear"), DATA),
    "linear, other formats": Op(
        _linear,
        _linear_shapes,
        {name: rewritten(_linear, REWRITES[name]) for name in ("linear: K backwards", "linear: row by row")},
        CENTERED,
        WIDE_DTYPES,
    ),
    "conv2d": Op(_conv, _conv_shapes, _through(_conv, "conv") | {"Winograd": lambda x, w, b: winograd_conv(x, w, b)}, CENTERED),
    "layer norm": Op(
        _layer_norm, _norm_shapes, _through(_layer_norm, "layer norm"), {"normal": _normal, "positive": _positive, "wide": _wide}
    ),
    "softmax": Op(_softmax, _row_shapes, _through(_softmax, "softmax"), DATA),
    "gelu": Op(lambda x: F.gelu(x), _row_shapes, _through(lambda x: F.gelu(x), "gelu"), DATA),
    "silu": Op(lambda x: F.silu(x), _row_shapes, _through(lambda x: F.silu(x), "silu"), DATA),
    "sigmoid": Op(torch.sigmoid, _row_shapes, {"1 / (1 + exp(-x))": lambda x: 1.0 / (1.0 + torch.exp(-x))}, DATA),
    "sum": Op(
        lambda x: x.sum(-1),
        _row_shapes,
        {
            "in turn": seq_sum,
            "backwards": lambda x: x.flip(-1).sum(-1),
            "Kahan": kahan_sum,
            "by product": lambda x: x @ torch.ones(x.shape[-1], dtype=x.dtype),
        },
        DATA,
    ),
    "mean": Op(
        lambda x: x.mean(-1),
        _row_shapes,
        {"sum, then division": lambda x: x.flip(-1).sum(-1) / x.shape[-1], "weighted": lambda x: (x / x.shape[-1]).sum(-1)},
        DATA,
    ),
    "variance": Op(lambda x: x.var(-1), lambda rng: ((rng.randint(1, 20), rng.randint(3, 300)),), {"Welford": _variance_welford}, DATA),
    "cumsum": Op(
        lambda x: x.cumsum(-1),
        _row_shapes,
        {"by product": lambda x: x @ torch.ones(x.shape[-1], x.shape[-1], dtype=x.dtype).triu()},
        CENTERED,
    ),
    "logsumexp": Op(
        lambda x: torch.logsumexp(x, -1),
        _row_shapes,
        {"formula": lambda x: x.amax(-1) + torch.log(torch.exp(x - x.amax(-1, keepdim=True)).sum(-1))},
        DATA,
    ),
    "cross entropy": Op(
        _cross_entropy,
        lambda rng: ((rng.randint(1, 15), rng.randint(2, 90)),),
        {"log-sum-exp minus score": lambda x: torch.logsumexp(x, -1) - x[torch.arange(x.shape[0]), torch.arange(x.shape[0]) % x.shape[1]]},
        DATA,
    ),
    "norm": Op(
        lambda x: torch.linalg.vector_norm(x, dim=-1),
        _row_shapes,
        {
            "formula": lambda x: torch.sqrt((x * x).sum(-1)),
            "scaled": lambda x: x.abs().amax(-1) * torch.sqrt((x / x.abs().amax(-1, keepdim=True).clamp_min(1e-30)).square().sum(-1)),
        },
        DATA,
    ),
    "matmul": Op(
        torch.matmul,
        _product_shapes,
        {
            "outer products": _outer_products,
            "blocked": lambda a, b: rewrites.matmul_blocked(torch.matmul, a, b),
            "transposed": lambda a, b: (b.T @ a.T).T,
            "backwards": lambda a, b: a.flip(1) @ b.flip(0),
        },
        DATA,
    ),
    "attention": Op(
        sdpa, _attention_shapes, {"online softmax": flash, "fused": lambda q, k, v: F.scaled_dot_product_attention(q, k, v)}, CENTERED
    ),
    "distance": Op(
        lambda x, y: (x[:, None] - y).square().sum(-1).sqrt(),
        lambda rng: ((rng.randint(1, 12), 17), (rng.randint(1, 12), 17)),
        {"cdist": lambda x, y: torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")},
        DATA,
    ),
    "gradients of a layer": Op(
        _linear_gradients,
        lambda rng: ((rng.randint(1, 16), 40), (rng.randint(1, 20), 40)),
        {"by hand": _linear_gradients_by_hand},
        {"normal": _normal, "small": _small},
    ),
    "average pooling": Op(
        lambda x: F.avg_pool2d(x, 3, 1),
        lambda rng: ((2, 3, rng.randint(4, 20), rng.randint(4, 20)),),
        {"rows, then columns": lambda x: F.avg_pool2d(F.avg_pool2d(x, (3, 1), 1), (1, 3), 1)},
        DATA,
    ),
    "polynomial": Op(
        lambda x: 1.0 + x * (0.5 + x * (0.25 + x * 0.125)),
        _row_shapes,
        {"powers": lambda x: 1.0 + 0.5 * x + 0.25 * x * x + 0.125 * x * x * x},
        {"positive": _positive, "small": _small},
    ),
}


def _model_pairs(rng: random.Random, seed: int) -> HonestPair:
    """A whole model, one of its kinds of call rewritten."""
    while True:
        chosen = rng.choice(MODELS)
        name = rng.choice(list(REWRITES))
        module, inputs = chosen.make(seed)
        if rewrites.met_calls(module, inputs, REWRITES[name]):
            return HonestPair(f"{chosen.name}, {name}", rewritten(module, REWRITES[name]), module, inputs, gradients=rng.random() < 0.5)


MODEL_SHARE = 0.1
"""One pair in ten is a whole model: a model takes about ten times as long as an op."""


def honest_pair(number: int) -> HonestPair:
    """The pair of that number: op, alternative, shapes, data and dtype are drawn from it."""
    rng = random.Random(number)
    if rng.random() < MODEL_SHARE:
        return _model_pairs(rng, number)
    torch.manual_seed(number)
    op_name = rng.choice(list(OPS))
    op = OPS[op_name]
    alternative = rng.choice(list(op.alternatives))
    data = rng.choice(list(op.data))
    dtype = rng.choice(op.dtypes)
    shapes = op.shapes(rng)
    # Weights are spread as in a layer; only the first input has the drawn data.
    inputs = [op.data[data](shapes[0]), *(torch.randn(shape) / math.sqrt(max(shape)) for shape in shapes[1:])]
    inputs = [tensor.to(getattr(torch, dtype)) for tensor in inputs]
    name = f"{op_name}, {alternative}, {data} {'x'.join(map(str, shapes[0]))}, {dtype}"
    return HonestPair(name, op.alternatives[alternative], op.expected, tuple(inputs), declared=dtype)
