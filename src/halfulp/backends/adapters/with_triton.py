"""Triton: kernels on a CUDA device, or in its interpreter, which computes with NumPy and checks indices and masks, not a GPU's rounding."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import torch
from torch import nn

from ...errors import Unsupported
from ...words.numbers import counted
from ..adapter import Adapter
from ..ops import OPS, OpModule
from ..program import Program, Tensors

TILE, DEEP = 64, 64
"""Rows, columns and depth of a tile of a product: few programs, which cost half a millisecond each in the interpreter."""

BLOCK = 1 << 14
OLDEST = (3, 2)
"""The version whose interpreter is driven here, as pyproject.toml asks for."""


class Triton(Adapter):
    """Kernels of our own (`kernels/for_triton.py`), or a function of tensors that launches the user's."""

    name = "triton"
    title = "Triton"
    packages = {"triton": "triton"}
    extra = "triton"
    dtypes = ("float32",)

    def unusable(self) -> str:
        """Whether it is too old, or was loaded as for a GPU where there is none: its own functions can't be interpreted then."""
        version = super().fingerprint()["triton"]
        if (parts := re.findall(r"\d+", version)) and tuple(map(int, parts[:2])) < OLDEST:
            return f"Triton {version} is older than {'.'.join(map(str, OLDEST))}, whose interpreter halfulp uses"
        if torch.cuda.is_available() or "triton" not in sys.modules:
            return ""
        if type(import_module("triton.language").sum).__name__ != "JITFunction":
            return ""
        return "Triton was loaded before its interpreter was asked for: set TRITON_INTERPRET=1 before Python starts"

    def fingerprint(self) -> dict[str, str]:
        """Version, and where kernels run."""
        return {
            **super().fingerprint(),
            "runs": torch.cuda.get_device_name() if torch.cuda.is_available() else "in the interpreter (NumPy)",
        }

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        place = "cuda" if torch.cuda.is_available() else "cpu"
        kernels = _kernels()
        remarks = () if place == "cuda" else ("run in the interpreter, which checks indices and masks, but not a GPU's rounding",)
        if isinstance(target, OpModule):
            launch = LAUNCHES.get(target.op_name)
            if launch is None:
                lacking = ", ".join(name for name in OPS if name not in LAUNCHES)
                raise Unsupported(
                    f"Got the op {target.op_name} for {self.name}. Needed: one with a kernel. Ops without one: {lacking}. Leave it out."
                )
            weights, attributes = [weight.detach().to(place) for weight in target.weights], target.attributes
            return Program(
                lambda tensors: [launch(kernels, [tensor.to(place) for tensor in tensors], weights, attributes).cpu()], remarks=remarks
            )
        if isinstance(target, nn.Module) or not callable(target):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names), or a function of tensors that launches kernels. Modules "
                "have no route to Triton. Pass the function."
            )

        def run(tensors: Tensors) -> Tensors:
            result = target(*(tensor.to(place) for tensor in tensors), **keywords)
            return [item.cpu() for item in (result if isinstance(result, (tuple, list)) else (result,))]

        return Program(run, remarks=remarks)


@cache
def _kernels() -> Any:
    """The kernels; without a GPU they are made for the interpreter, which has to be said before Triton is imported."""
    if torch.cuda.is_available():
        return import_module("..adapters.kernels.for_triton", __package__)
    before = os.environ.get("TRITON_INTERPRET")
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        found = import_module("..adapters.kernels.for_triton", __package__)
        import_module("triton").knobs.runtime.interpret = True  # parts of Triton are loaded later, and ask again
        return found
    finally:
        if before is None:
            del os.environ["TRITON_INTERPRET"]
        else:
            os.environ["TRITON_INTERPRET"] = before


def _power(count: int) -> int:
    return 1 << max(4, (count - 1).bit_length())


def _product(
    kernels: Any, left: torch.Tensor, right: torch.Tensor, bias: torch.Tensor | None = None, *, turned: bool = False
) -> torch.Tensor:
    rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-2 if turned else -1]
    if right.shape[-1 if turned else -2] != inner:
        raise Unsupported(
            f"Got {tuple(left.shape)} and {tuple(right.shape)} to multiply. Needed: the same inner dimension. Fix the shapes."
        )
    result = left.new_empty((*left.shape[:-1], columns))
    grid = (math.ceil(rows / TILE), math.ceil(columns / TILE), math.prod(left.shape[:-2]))
    steps = (1, inner) if turned else (columns, 1)
    kernels.product[grid](
        left.contiguous(), right.contiguous(), left if bias is None else bias, result, rows, columns, inner, *steps, BIASED=bias is not None,
        TILE=TILE, DEEP=DEEP,
    )  # fmt: skip
    return result


def _softmax(kernels: Any, x: torch.Tensor, *, logarithm: bool) -> torch.Tensor:
    result = torch.empty_like(x)
    kernels.softmax[(x.numel() // x.shape[-1],)](x, result, x.shape[-1], LOGARITHM=logarithm, BLOCK=_power(x.shape[-1]))
    return result


def _normalization(kernels: Any, inputs: Any, weights: Any, attributes: Any) -> torch.Tensor:
    x = inputs[0]
    if x.shape[-1] != len(weights[0]):
        raise Unsupported(
            f"Got rows of length {x.shape[-1]} for {counted(len(weights[0]), 'weight')}. Needed: one weight for each element of "
            "a row. Fix the shapes."
        )
    result = torch.empty_like(x)
    rows, centered = x.numel() // x.shape[-1], len(weights) > 1
    bias = weights[1] if centered else weights[0]
    kernels.normalization[(rows,)](
        x, weights[0], bias, result, x.shape[-1], attributes["layer_eps"], CENTERED=centered, BLOCK=_power(x.shape[-1])
    )
    return result


def _reduction(kind: str) -> Callable[..., torch.Tensor]:
    def launch(kernels: Any, inputs: Any, _w: Any, _a: Any) -> torch.Tensor:
        x = inputs[0]
        result = torch.empty_like(x) if kind == "cumsum" else x.new_empty(x.shape[:-1])
        kernels.reduction[(x.numel() // x.shape[-1],)](x, result, x.shape[-1], KIND=kind, BLOCK=_power(x.shape[-1]))
        return result

    return launch


def _of_each(kind: str) -> Callable[..., torch.Tensor]:
    def launch(kernels: Any, inputs: Any, _w: Any, _a: Any) -> torch.Tensor:
        x = inputs[0]
        result = torch.empty_like(x)
        kernels.function[(math.ceil(x.numel() / BLOCK),)](x, result, x.numel(), KIND=kind, BLOCK=BLOCK)
        return result

    return launch


def _attention(kernels: Any, inputs: Any, _w: Any, _a: Any) -> torch.Tensor:
    query, key, value = inputs
    scores = _product(kernels, query / math.sqrt(query.shape[-1]), key, turned=True)
    return _product(kernels, _softmax(kernels, scores, logarithm=False), value)


LAUNCHES: dict[str, Callable[..., torch.Tensor]] = {
    "linear": lambda kernels, inputs, weights, _: _product(kernels, inputs[0], weights[0], weights[1], turned=True),
    "matmul": lambda kernels, inputs, _w, _a: _product(kernels, *inputs), "bmm": lambda kernels, inputs, _w, _a: _product(kernels, *inputs),
    "attention": _attention,
    "softmax": lambda kernels, inputs, _w, _a: _softmax(kernels, inputs[0], logarithm=False),
    "log_softmax": lambda kernels, inputs, _w, _a: _softmax(kernels, inputs[0], logarithm=True),
    "layer_norm": _normalization, "rms_norm": _normalization,
    **{name: _of_each(name) for name in ("relu", "gelu", "silu", "sigmoid", "exp", "log", "sqrt", "rsqrt", "erf")},
    **{name: _reduction(name) for name in ("sum", "mean", "var", "cumsum")},
}  # fmt: skip
