"""Honest pairs in bfloat16 and float16 by the thousand: fused kernels, float32 inside, casts at other points, products in TF32.

Each pair is drawn from a seed, so a false alarm can be looked at again: `honest_pair_in("bfloat16", number)`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from .algorithms import flash, kahan_sum, sdpa, seq_sum
from .generated import CENTERED, DATA, OPS, HonestPair, sized

Call = Callable[..., Any]
FORMATS = ("bfloat16", "float16")


def wide(function: Call) -> Call:
    """The function in float32 (in float64 on float64 numbers), its results in the format of its first input: a fused kernel."""

    def run(*given: Any) -> Any:
        more = torch.float64 if given[0].dtype == torch.float64 else torch.float32
        result = function(*(value.to(more) if value.is_floating_point() else value for value in given))
        results = tuple(part.to(given[0].dtype) for part in result) if isinstance(result, tuple) else result.to(given[0].dtype)
        return results

    return run


def _tf32(x: Any) -> Any:
    """Rounded to 11 bits as a tensor core takes it; float64 stays as it is."""
    if x.dtype != torch.float32:
        return x
    return ((x.contiguous().view(torch.int32) + (1 << 12)) & -(1 << 13)).view(torch.float32)


@dataclass(frozen=True)
class Coarse:
    """An op with honest ways to compute it in 16 bits.

    Attributes:
        expected: some of the ways, of which one is compared with. alternatives: all of them.
        shapes: draws the inputs' shapes. data: what the first input is drawn from.
    """

    expected: dict[str, Call]
    alternatives: dict[str, Call]
    shapes: Callable[[random.Random], tuple[tuple[int, ...], ...]]
    data: dict[str, Callable[[tuple[int, ...]], torch.Tensor]]


def _rms_norm(x: Any, weight: Any) -> Any:
    return F.rms_norm(x, x.shape[-1:], weight, 1e-5)


def _rms_norm_by_formula(x: Any, weight: Any) -> Any:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * weight


def _rms_norm_cast_before_the_weight(x: Any, weight: Any) -> Any:
    more = x.double() if x.dtype == torch.float64 else x.float()
    return (more * torch.rsqrt(more.square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * weight


def _swiglu(x: Any, gate: Any, up: Any) -> Any:
    return F.silu(x @ gate) * (x @ up)


def _residual_and_norm(x: Any, y: Any, weight: Any) -> Any:
    total = x + y
    return total, F.layer_norm(total, total.shape[-1:], weight)


def _mlp(x: Any, first: Any, second: Any) -> Any:
    return F.gelu(x @ first) @ second


def _mlp_in_tf32(x: Any, first: Any, second: Any) -> Any:
    return _tf32(F.gelu(_tf32(x) @ _tf32(first))) @ _tf32(second)


def _attention_rounded_between(q: Any, k: Any, v: Any) -> Any:
    """Scores and probabilities pass through the format of the inputs, as an unfused kernel's do."""
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    return torch.softmax(scores, -1) @ v


def _attention_with_wide_softmax(q: Any, k: Any, v: Any) -> Any:
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    more = scores.dtype if scores.dtype == torch.float64 else torch.float32
    return torch.softmax(scores, -1, dtype=more).to(q.dtype) @ v


def _attention_in_tf32(q: Any, k: Any, v: Any) -> Any:
    scores = (_tf32(q) @ _tf32(k).transpose(-1, -2)) * q.shape[-1] ** -0.5
    return _tf32(torch.softmax(scores, -1)) @ _tf32(v)


def _rotated(x: Any, cast: bool) -> Any:
    half = x.shape[-1] // 2
    more = x.dtype if x.dtype == torch.float64 else torch.float32
    angles = torch.arange(x.shape[-2], dtype=more)[:, None] * 10000.0 ** (-torch.arange(half, dtype=more) / half)
    cos, sin = angles.cos(), angles.sin()
    if cast:
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        return torch.cat([x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin], -1)
    left, right = x[..., :half].to(more), x[..., half:].to(more)
    return torch.cat([left * cos - right * sin, right * cos + left * sin], -1).to(x.dtype)


def _group_norm(x: Any, weight: Any, bias: Any) -> Any:
    return F.group_norm(x, 2, weight, bias)


def _group_norm_by_formula(x: Any, weight: Any, bias: Any) -> Any:
    parts = x.reshape(x.shape[0], 2, -1)
    center = parts - parts.mean(-1, keepdim=True)
    normed = (center * torch.rsqrt(center.square().mean(-1, keepdim=True) + 1e-5)).reshape(x.shape)
    return normed * weight[:, None, None] + bias[:, None, None]


def _conv(x: Any, weight: Any, bias: Any) -> Any:
    return F.conv2d(x, weight, bias, padding=1)


def _conv_by_columns(x: Any, weight: Any, bias: Any) -> Any:
    columns = F.unfold(x, 3, padding=1)
    return (weight.reshape(weight.shape[0], -1) @ columns).reshape(x.shape[0], -1, *x.shape[2:]) + bias[:, None, None]


def _nll(x: Any) -> Any:
    return F.cross_entropy(x, torch.arange(x.shape[0]) % x.shape[1], reduction="none")


def _scores(x: Any) -> Any:
    return torch.logsumexp(x, -1) - x[torch.arange(x.shape[0]), torch.arange(x.shape[0]) % x.shape[1]]


def _adam(w: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = 0.9 * m + 0.1 * g, 0.99 * v.abs() + 0.01 * g * g
    return w - 0.01 * m / (v.sqrt() + 1e-4)


def _adam_in_other_steps(w: Any, g: Any, m: Any, v: Any) -> Any:
    m, v = torch.lerp(m, g, 0.1), v.abs().mul(0.99).addcmul(g, g, value=0.01)
    return torch.addcdiv(w, m, v.sqrt() + 1e-4, value=-0.01)


def _ways(*functions: tuple[str, Call], plain: tuple[str, ...] = ()) -> dict[str, Call]:
    """Each in float32 inside; those named in `plain` op by op in 16 bits too."""
    found = {f"{name}, float32 inside": wide(function) for name, function in functions}
    return found | {name: function for name, function in functions if name in plain}


def _coarse(
    expected: Call, *others: tuple[str, Call], shapes: Any, data: Any = CENTERED, plain: tuple[str, ...] = (), more: Any = None
) -> Coarse:
    own = {"library": expected, "library, float32 inside": wide(expected)}
    return Coarse(own, own | _ways(*others, plain=plain) | (more or {}), shapes, data)


_ROWS = sized((1, 20), (2, 300))
_NORMS = OPS["layer norm"].shapes
NORMED = {name: DATA[name] for name in ("normal", "wide", "positive")}
SQUARED = {name: DATA[name] for name in ("normal", "positive")}
"""Whose squares float16 holds."""
COARSE: dict[str, Coarse] = {
    "linear": _coarse(
        OPS["linear"].expected, ("in halves", lambda x, w, b: x[:, ::2] @ w[:, ::2].T + x[:, 1::2] @ w[:, 1::2].T + b),
        shapes=OPS["linear"].shapes,
        more={"product, then bias": lambda x, w, b: x @ w.T + b, "TF32": wide(lambda x, w, b: _tf32(x) @ _tf32(w).T + b)},
    ),
    "matmul": _coarse(
        torch.matmul, ("outer products", OPS["matmul"].alternatives["outer products"]), ("backwards", OPS["matmul"].alternatives["backwards"]),
        shapes=OPS["matmul"].shapes, plain=("backwards",),
    ),
    "convolution": _coarse(_conv, ("by columns", _conv_by_columns), shapes=OPS["conv2d"].shapes, plain=("by columns",)),
    "sum": _coarse(
        lambda x: x.sum(-1), ("in turn", seq_sum), ("Kahan", kahan_sum), ("backwards", lambda x: x.flip(-1).sum(-1)),
        shapes=lambda rng: (_ROWS(rng),), data=DATA, plain=("backwards",),
    ),
    "mean": _coarse(
        lambda x: x.mean(-1), ("sum, then division", lambda x: x.sum(-1) / x.shape[-1]), shapes=lambda rng: (_ROWS(rng),), data=DATA,
        plain=("sum, then division",),
    ),
    "softmax": _coarse(
        lambda x: F.softmax(x, -1), ("by formula", lambda x: torch.exp(x - x.amax(-1, keepdim=True)) / torch.exp(x - x.amax(-1, keepdim=True)).sum(-1, keepdim=True)),
        shapes=lambda rng: (_ROWS(rng),), data=DATA, plain=("by formula",),
    ),
    "layer norm": _coarse(
        OPS["layer norm"].expected, *[(name, call) for name, call in OPS["layer norm"].alternatives.items()], shapes=_NORMS, data=NORMED,
    ),
    "rms norm": _coarse(
        _rms_norm, ("by formula", _rms_norm_by_formula), shapes=lambda rng: _NORMS(rng)[:2], data=SQUARED, plain=("by formula",),
        more={"cast before the weight": _rms_norm_cast_before_the_weight},
    ),
    "group norm": _coarse(
        _group_norm, ("by formula", _group_norm_by_formula),
        shapes=lambda rng: ((rng.randint(1, 4), 6, rng.randint(2, 9), rng.randint(2, 9)), (6,), (6,)), data=NORMED,
    ),
    "gelu": _coarse(
        F.gelu, ("by the error function", lambda x: 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))), shapes=lambda rng: (_ROWS(rng),), data=DATA,
    ),
    "silu": _coarse(
        F.silu, ("by sigmoid", lambda x: x * torch.sigmoid(x)), ("by exp", lambda x: x / (1.0 + torch.exp(-x))), shapes=lambda rng: (_ROWS(rng),),
        data=DATA, plain=("by sigmoid", "by exp"),
    ),
    "swiglu": _coarse(
        _swiglu, ("in one product", lambda x, g, u: F.silu((x @ torch.cat([g, u], 1)).chunk(2, 1)[0]) * (x @ u)),
        shapes=lambda rng: ((rng.randint(1, 16), 48), (48, 32), (48, 32)), plain=("in one product",),
    ),
    "residual and norm": _coarse(
        _residual_and_norm, shapes=lambda rng: ((rng.randint(1, 12), 64), (rng.randint(1, 1), 64), (64,)), data=NORMED,
    ),
    "mlp": _coarse(
        _mlp, ("TF32", _mlp_in_tf32), shapes=lambda rng: ((rng.randint(1, 16), 40), (40, 80), (80, 24)),
    ),
    "attention": _coarse(
        sdpa, ("online softmax", flash), ("TF32", _attention_in_tf32), shapes=OPS["attention"].shapes,
        more={"rounded between": _attention_rounded_between, "wide softmax": _attention_with_wide_softmax},
    ),
    "rotary embedding": Coarse(
        {"cast at the end": lambda x: _rotated(x, False), "tables cast": lambda x: _rotated(x, True)},
        {"cast at the end": lambda x: _rotated(x, False), "tables cast": lambda x: _rotated(x, True)},
        lambda rng: ((2, rng.choice([5, 40, 600]), 32),), CENTERED,
    ),
    "cross entropy": _coarse(
        _nll, ("log-sum-exp minus score", _scores), shapes=lambda rng: ((rng.randint(1, 15), rng.randint(2, 90)),), data=CENTERED,
    ),
    "adam": _coarse(
        wide(_adam), ("in other steps", _adam_in_other_steps), shapes=lambda rng: ((rng.randint(5, 400),),) * 4,
        data={"normal": DATA["normal"], "positive": DATA["positive"]},
    ),
    "variance": _coarse(
        lambda x: x.var(-1), ("two passes", lambda x: (x - x.mean(-1, keepdim=True)).square().sum(-1) / (x.shape[-1] - 1)), ("Welford", OPS["variance"].alternatives["Welford"]),
        shapes=OPS["variance"].shapes, data=CENTERED,
    ),
    "cumulative sum": _coarse(
        lambda x: x.cumsum(-1), ("by product", lambda x: x @ torch.ones(x.shape[-1], x.shape[-1], dtype=x.dtype).triu()),
        shapes=lambda rng: (sized((1, 8), (2, 200))(rng),), plain=("by product",),
    ),
}  # fmt: skip
"""Op -> how it is honestly computed in 16 bits."""


def honest_pair_in(dtype: str, number: int) -> HonestPair:
    """The pair of that number: op, both ways to compute it, shapes and data are drawn from it.

    Args:
        dtype: "bfloat16" or "float16". number: of the pair.
    """
    rng = random.Random(number)
    torch.manual_seed(number)
    op_name = rng.choice(list(COARSE))
    op = COARSE[op_name]
    expected, actual = rng.choice(list(op.expected)), rng.choice(list(op.alternatives))
    data = rng.choice(list(op.data))
    shapes = op.shapes(rng)
    inputs = [op.data[data](shapes[0]), *(torch.randn(shape) / math.sqrt(max(shape)) for shape in shapes[1:])]
    given = tuple(tensor.to(getattr(torch, dtype)) for tensor in inputs)
    name = f"{op_name}, {actual} against {expected}, {data} {'x'.join(map(str, shapes[0]))}, {dtype}"
    return HonestPair(name, op.alternatives[actual], op.expected[expected], given, declared=dtype)
