"""What goes wrong with activations: the form of GELU, slopes, which zero or NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch.nn import functional as F

from ..calls import Call
from .hypothesis import FORMULA, Fit, Hypothesis, Site, Variation, among, changed, constants

CUBIC = 0.044715
"""The cubic coefficient of GELU's tanh form (Hendrycks and Gimpel, Gaussian Error Linear Units, section 2)."""
SIGMOID = 1.702
"""The factor of its sigmoid form (same place)."""


def _gelus(call: Call) -> Iterator[Variation]:
    if call.name == "gelu":
        present = call.keywords.get("approximate", "none")
        for other, words in (("none", "GELU's exact form (erf)"), ("tanh", "GELU's tanh form")):
            if other != present:
                yield Variation(words, lambda call, other=other: F.gelu(call.first, approximate=other))
        yield Variation(f"GELU's sigmoid form (x sigmoid({SIGMOID} x))", lambda call: call.first * torch.sigmoid(SIGMOID * call.first))
    elif call.name == "silu":
        yield Variation(f"GELU's sigmoid form (x sigmoid({SIGMOID} x))", lambda call: call.first * torch.sigmoid(SIGMOID * call.first))
    elif call.name == "erf":  # of x / sqrt(2), by hand
        yield Variation("GELU's tanh form", lambda call: torch.tanh(_inner(call.first * math.sqrt(2.0))))
        yield Variation(
            f"GELU's sigmoid form (x sigmoid({SIGMOID} x))",
            lambda call: 2 * torch.sigmoid(SIGMOID * math.sqrt(2.0) * call.first) - 1,
        )
    elif call.name == "tanh":
        yield Variation("GELU's exact form (erf)", lambda call: torch.erf(_outer(call.first) / math.sqrt(2.0)).to(call.first.dtype))
        yield Variation(
            f"GELU's sigmoid form (x sigmoid({SIGMOID} x))",
            lambda call: (2 * torch.sigmoid(SIGMOID * _outer(call.first)) - 1).to(call.first.dtype),
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
    for constant in constants((0.01, 0.1, 0.2, 0.3, 0.0, 1.0), present):
        yield changed(f"{key} = {constant:g} instead of {present:g}", **{key: constant})


def _fitted_slope(call: Call) -> Iterator[Fit]:
    if call.name == "leaky_relu":
        present = float(call.value("negative_slope", 0.01))
        yield Fit(
            "negative_slope",
            -1.0,
            1.0,
            present,
            vary=lambda value: changed(f"negative_slope = {value:g} instead of {present:g}", negative_slope=value),
        )


FUNCTIONS = {
    "relu": ("ReLU", F.relu), "relu6": ("ReLU6", F.relu6), "leaky_relu": ("LeakyReLU (slope 0.01)", F.leaky_relu), "elu": ("ELU", F.elu),
    "gelu": ("GELU", F.gelu), "silu": ("SiLU", F.silu), "mish": ("Mish", F.mish), "softplus": ("softplus", F.softplus),
    "tanh": ("tanh", torch.tanh), "hardtanh": ("the hard tanh", F.hardtanh), "sigmoid": ("the sigmoid", torch.sigmoid),
    "hardsigmoid": ("the hard sigmoid", F.hardsigmoid), "hardswish": ("the hard swish", F.hardswish), "selu": ("SELU", F.selu),
}  # fmt: skip


def _others(call: Call) -> Iterator[Variation]:
    for name, (words, function) in FUNCTIONS.items():
        if name != call.name:
            yield Variation(f"{words} instead of {FUNCTIONS[call.name][0]}", lambda call, function=function: function(call.first))
    yield Variation(f"no {FUNCTIONS[call.name][0]}", lambda call: call.first * 1)


def _unless_cap(site: Site) -> str:
    """A tanh on the way to a softmax caps scores: that is a cause of its own."""
    return "" if site.flow.names[site.number] == "tanh" and site.flow.leads_to(site.number, among("softmax"), 5) else "activation"


GELU = Hypothesis(
    "GELU form", FORMULA,
    "errors up to 5e-4 (tanh form) or 2e-2 (sigmoid form) where the argument's magnitude lies between 1 and 3, none for large arguments",
    "the erf, tanh and sigmoid forms exchanged",
    "F.gelu takes approximate='none' or 'tanh'",
    ("apache/tvm#18750",),
    among("gelu silu erf tanh"), _gelus,
)  # fmt: skip
SLOPE = Hypothesis(
    "negative slope", FORMULA,
    "errors in proportion to the negative arguments",
    "common slopes, then a fitted one",
    "pass the same constant to both",
    (),
    among("leaky_relu elu celu softplus"), _slopes, _fitted_slope,
)  # fmt: skip
ACTIVATION = Hypothesis(
    "activation", FORMULA,
    "errors as large as the results wherever the two activations diverge",
    "activations exchanged",
    "use the same activation in both",
    (),
    frozenset(FUNCTIONS), _others, naming=_unless_cap,
)  # fmt: skip
ALL = (GELU, SLOPE, ACTIVATION)
