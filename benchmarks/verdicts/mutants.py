"""Mutants: one call of a model changed by one thing, at a magnitude that can shrink until nothing can see it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

Call = Callable[..., Any]


@dataclass(frozen=True)
class Mutation:
    """One kind of mistake.

    Attributes:
        name: what goes wrong. calls: which PyTorch calls it can happen in. apply: (magnitude) -> replacement of the call.
        magnitudes: from gross to invisible; what the number means stands in `unit`.
    """

    name: str
    unit: str
    calls: tuple[str, ...]
    apply: Callable[[float], Call]
    magnitudes: tuple[float, ...]

    def replacement(self, magnitude: float) -> dict[str, Call]:
        """The calls that a function mode replaces."""
        return {name: self.apply(magnitude) for name in self.calls}


def decades(first: int, last: int) -> tuple[float, ...]:
    """10**first, 10**(first - 1) ... 10**last."""
    return tuple(10.0**power for power in range(first, last - 1, -1))


def wrong_constant(magnitude: float) -> Call:
    return lambda func, *args, **kwargs: func(*args, **kwargs) * (1.0 + magnitude)


def wrong_bias_of_one_channel(magnitude: float) -> Call:
    def call(func: Call, x: Any, weight: Any, bias: Any = None, *rest: Any, **kwargs: Any) -> Any:
        if bias is None:
            return NotImplemented
        moved = bias.clone()
        moved[0] = moved[0] + magnitude * bias.detach().square().mean().sqrt()
        return func(x, weight, moved, *rest, **kwargs)

    return call


def wrong_weight(magnitude: float) -> Call:
    def call(func: Call, x: Any, weight: Any, *rest: Any, **kwargs: Any) -> Any:
        moved = weight.clone()
        moved[0, 0] = moved[0, 0] + magnitude * weight.detach().square().mean().sqrt()
        return func(x, moved, *rest, **kwargs)

    return call


def wrong_index(magnitude: float) -> Call:
    def call(func: Call, x: Any, weight: Any, *rest: Any, **kwargs: Any) -> Any:
        mixed = weight.clone()
        mixed[0] = (1.0 - magnitude) * weight[0] + magnitude * weight[1]
        return func(x, mixed, *rest, **kwargs)

    return call


def wrong_layer_eps(magnitude: float) -> Call:
    def call(func: Call, *args: Any, **kwargs: Any) -> Any:
        if "eps" in kwargs:
            return func(*args, **{**kwargs, "eps": kwargs["eps"] * (1.0 + magnitude)})
        place = max(place for place, value in enumerate(args) if isinstance(value, float))
        return func(*args[:place], args[place] * (1.0 + magnitude), *args[place + 1 :], **kwargs)

    return call


def leaking_mask(magnitude: float) -> Call:
    def call(func: Call, scores: Any, *args: Any, **kwargs: Any) -> Any:
        found = func(scores, *args, **kwargs)
        return (found + magnitude / scores.shape[-1]) / (1.0 + magnitude)

    return call


def missing_term(magnitude: float) -> Call:
    def call(func: Call, x: Any, weight: Any, bias: Any = None, *rest: Any, **kwargs: Any) -> Any:
        return NotImplemented if bias is None else func(x, weight, bias * (1.0 - magnitude), *rest, **kwargs)

    return call


def coarse_input(magnitude: float) -> Call:
    """The first operand rounded to p bits, magnitude = 2**-p."""
    bits = round(-math.log2(magnitude))

    def call(func: Call, x: Any, *args: Any, **kwargs: Any) -> Any:
        mantissa, exponent = torch.frexp(x.detach())
        rounded = torch.ldexp(torch.round(mantissa * 2.0**bits) / 2.0**bits, exponent)
        return func(x + (rounded - x.detach()), *args, **kwargs)

    return call


def approximate_activation(magnitude: float) -> Call:
    return lambda func, x, *args, **kwargs: func(x * (1.0 + magnitude), *args, **kwargs)


PRODUCTS = ("linear", "conv2d", "conv1d")
NORMS = ("layer_norm", "group_norm", "batch_norm")
ACTIVATIONS = ("gelu", "silu", "tanh", "sigmoid")

MUTATIONS = (
    Mutation("constant", "relative change of one call's result", (*PRODUCTS, *NORMS, "softmax"), wrong_constant, decades(-1, -9)),
    Mutation("bias of one channel", "change / rms of the bias", PRODUCTS, wrong_bias_of_one_channel, decades(0, -8)),
    Mutation("one weight", "change / rms of the weights", PRODUCTS, wrong_weight, decades(0, -8)),
    Mutation("index", "share of the neighbouring row that is mixed in", PRODUCTS, wrong_index, decades(0, -8)),
    Mutation("epsilon of one norm", "relative change of eps", NORMS, wrong_layer_eps, decades(2, -5)),
    Mutation("leaking mask", "weight that leaks everywhere", ("softmax",), leaking_mask, decades(-1, -9)),
    Mutation("missing term", "share of the bias that is dropped", PRODUCTS, missing_term, decades(0, -8)),
    Mutation("coarse input", "2**-p of the p bits that are kept", PRODUCTS, coarse_input, tuple(2.0**-bits for bits in range(4, 25, 2))),
    Mutation("activation", "relative change of its argument", ACTIVATIONS, approximate_activation, decades(-1, -9)),
)
