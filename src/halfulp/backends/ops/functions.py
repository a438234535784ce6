"""Functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from .op import Draw, Op, Size, normal, positive, wide


def _gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return F.gelu(x, approximate="tanh")


def _of(name: str, function: Callable[..., Any], draw: Draw) -> Op:
    return Op(name, "function", function, ("x",), (), tuple(Size({"x": shape}) for shape in ((8, 64), (64, 768), (5, 333))), {"x": draw})


FUNCTIONS = (
    _of("relu", torch.relu, wide),
    _of("gelu", F.gelu, wide),
    _of("gelu_tanh", _gelu_tanh, wide),
    _of("silu", F.silu, wide),
    _of("sigmoid", torch.sigmoid, wide),
    _of("tanh", torch.tanh, normal),
    _of("exp", torch.exp, wide),
    _of("log", torch.log, positive),
    _of("sqrt", torch.sqrt, positive),
    _of("rsqrt", torch.rsqrt, positive),
    _of("erf", torch.erf, normal),
)
