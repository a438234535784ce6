"""What goes wrong with activations: the form of GELU, slopes, which zero or NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch.nn import functional as F

from ..calls import Call
from .hypothesis import FORMULA, Fit, Hypothesis, Variation, among, changed, constants

CUBIC = 0.044715
"""The cubic coefficient of GELU's tanh form (Hendrycks and Gimpel, Gaussian Error Linear Units, section 2)."""
SIGMOID = 1.702
"""The factor of its sigmoid form (same place)."""


def _gelus(call: Call) -> Iterator[Variation]:
    if call.name == "gelu":
        present = call.keywords.get("approximate", "none")
        for other, words in (("none", "GELU's exact form (erf)"), ("tanh", "GELU's tanh form")):
            if other != present:
                yield Variation(words, lambda each, other=other: F.gelu(each.first, approximate=other))
        yield Variation(f"GELU's sigmoid form (x sigmoid({SIGMOID} x))", lambda each: each.first * torch.sigmoid(SIGMOID * each.first))
        yield Variation("SiLU (x sigmoid(x))", lambda each: F.silu(each.first))
    elif call.name == "silu":
        yield Variation(f"GELU's sigmoid form (x sigmoid({SIGMOID} x))", lambda each: each.first * torch.sigmoid(SIGMOID * each.first))
        yield Variation("GELU's exact form (erf)", lambda each: F.gelu(each.first))
        yield Variation("GELU's tanh form", lambda each: F.gelu(each.first, approximate="tanh"))
    elif call.name == "erf":  # of x / sqrt(2), by hand
        yield Variation("GELU's tanh form", lambda each: torch.tanh(_inner(each.first * math.sqrt(2.0))))
        yield Variation(
            f"GELU's sigmoid form (x sigmoid({SIGMOID} x))", lambda each: 2 * torch.sigmoid(SIGMOID * math.sqrt(2.0) * each.first) - 1
        )
    elif call.name == "tanh":
        yield Variation("GELU's exact form (erf)", lambda each: torch.erf(_outer(each.first) / math.sqrt(2.0)).to(each.first.dtype))
        yield Variation(
            f"GELU's sigmoid form (x sigmoid({SIGMOID} x))",
            lambda each: (2 * torch.sigmoid(SIGMOID * _outer(each.first)) - 1).to(each.first.dtype),
        )


def _inner(x: torch.Tensor) -> torch.Tensor:
    return math.sqrt(2.0 / math.pi) * (x + CUBIC * x**3)


def _outer(value: torch.Tensor) -> torch.Tensor:
    """The x whose `_inner` is the value: Newton's method on a cubic that rises everywhere; in float64."""
    target = value.double()
    x = target.clone().clamp(-8, 8)
    for _ in range(30):
        slope = math.sqrt(2.0 / math.pi) * (1 + 3 * CUBIC * x**2)
        x = x - (_inner(x) - target) / slope
    return x


def _slopes(call: Call) -> Iterator[Variation]:
    key, default = {"leaky_relu": ("negative_slope", 0.01), "elu": ("alpha", 1.0), "celu": ("alpha", 1.0), "softplus": ("beta", 1.0)}[
        call.name
    ]
    present = float(call.value(key, default))
    for each in constants((0.01, 0.1, 0.2, 0.3, 0.0, 1.0), present):
        yield changed(f"{key} = {each:g} instead of {present:g}", **{key: each})


def _fitted_slope(call: Call) -> Iterator[Fit]:
    if call.name == "leaky_relu":
        present = float(call.value("negative_slope", 0.01))
        yield Fit(
            "negative_slope",
            -1.0,
            1.0,
            present,
            lambda value: changed(f"negative_slope = {value:g} instead of {present:g}", negative_slope=value),
        )


def _clipped(call: Call) -> Iterator[Variation]:
    if call.name == "relu":
        yield Variation("ReLU6", lambda each: F.relu6(each.first))
        yield Variation("LeakyReLU (slope 0.01)", lambda each: F.leaky_relu(each.first))
        yield Variation("no ReLU", lambda each: each.first)
    elif call.name == "relu6":
        yield Variation("ReLU", lambda each: F.relu(each.first))
    elif call.name in ("sigmoid", "hardsigmoid"):
        yield Variation(
            *(
                ("the hard sigmoid", lambda each: F.hardsigmoid(each.first))
                if call.name == "sigmoid"
                else ("the sigmoid", lambda each: torch.sigmoid(each.first))
            )
        )
    elif call.name in ("silu", "hardswish"):
        yield Variation(
            *(
                ("the hard swish", lambda each: F.hardswish(each.first))
                if call.name == "silu"
                else ("SiLU", lambda each: F.silu(each.first))
            )
        )


GELU = Hypothesis(
    "GELU form", FORMULA,
    "errors up to 5e-4 where the argument lies between 1 and 3, none far out",
    "the erf, tanh and sigmoid forms exchanged",
    "use the same form: {detail} (F.gelu's `approximate`)",
    ("apache/tvm#18750",),
    among("gelu silu erf tanh"), _gelus,
)  # fmt: skip
SLOPE = Hypothesis(
    "negative slope", FORMULA,
    "errors in proportion to the negative arguments",
    "usual slopes, then fitted",
    "pass the same constant: {detail}",
    (),
    among("leaky_relu elu celu softplus"), _slopes, _fitted_slope,
)  # fmt: skip
ACTIVATION = Hypothesis(
    "activation", FORMULA,
    "errors where the argument leaves the range that both activations share",
    "related activations exchanged",
    "use the same activation: {detail}",
    (),
    among("relu relu6 sigmoid hardsigmoid silu hardswish"), _clipped,
)  # fmt: skip
ALL = (GELU, SLOPE, ACTIVATION)
