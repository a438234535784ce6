"""What goes wrong with memory, integers and special values: strides, layouts, division, rounding to integers, NaN."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from ..calls import Call, tensors_in
from .hypothesis import FORMULA, MEMORY, Hypothesis, Site, Variation, among, changed


def _strided(call: Call) -> Iterator[Variation]:
    if any(_is_strided(tensor) for tensor in tensors_in(list(call.arguments))):
        yield Variation(
            "a strided operand read as if it were contiguous",
            lambda call: call.function(*_misread(call.arguments), **call.keywords),
        )

    x = call.first
    if (
        call.name in ("conv2d", "batch_norm", "relu", "max_pool2d", "avg_pool2d", "gelu", "silu")
        and isinstance(x, torch.Tensor)
        and x.dim() == 4
        and x.shape[1] > 1
    ):
        yield Variation(
            "channels-last memory read as if it were contiguous",
            lambda call: call.function(call.first.permute(0, 2, 3, 1).reshape(call.first.shape), *call.arguments[1:], **call.keywords),
        )


def _is_strided(tensor: torch.Tensor) -> bool:
    if tensor.layout != torch.strided or tensor.numel() < 2 or tensor.is_contiguous() or 0 in tensor.stride():
        return False
    # Read so, a square matrix that was transposed is the matrix itself: that is a transposition more or less, which has a name of its own.
    return not (tensor.dim() > 1 and tensor.shape[-1] == tensor.shape[-2] and tensor.mT.is_contiguous())


def _misread(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        as_if_contiguous(argument) if isinstance(argument, torch.Tensor) and _is_strided(argument) else argument for argument in arguments
    )


def as_if_contiguous(tensor: torch.Tensor) -> torch.Tensor:
    """The memory of a strided tensor read from its start, one element after the other."""
    strides: list[int] = []
    step = 1
    for size in reversed(tensor.shape):
        strides.insert(0, step)
        step *= size
    if tensor.storage_offset() + step > tensor.untyped_storage().nbytes() // tensor.element_size():
        return tensor
    return tensor.as_strided(tensor.shape, strides)


SAME_AXES = "take the axes in the same order in both"


def _permuted(call: Call) -> Iterator[Variation]:
    """A permutation with two of its axes exchanged, or with three taken round."""
    order = (
        call.value("dims")
        if "dims" in call.keywords
        else call.arguments[1]
        if len(call.arguments) == 2 and not isinstance(call.arguments[1], int)
        else call.arguments[1:]
    )
    order = [int(item) for item in order]
    if len(order) < 4:
        return
    for chosen in (*itertools.combinations(range(1, len(order)), 2), *itertools.permutations(range(1, len(order)), 3)):
        other = list(order)
        for here, there in zip(chosen, (*chosen[1:], chosen[0])):
            other[here] = order[there]
        if len(chosen) == 2 or chosen[0] == min(chosen):
            yield Variation(
                f"axes in the order {tuple(other)} instead of {tuple(order)}",
                lambda call, other=other: call.first.permute(other),
                remedy=SAME_AXES,
            )


def _flattened(call: Call) -> Iterator[Variation]:
    if call.name == "permute":
        yield from _permuted(call)
    if call.name in ("permute", "transpose", "swapaxes", "t", "movedim"):
        yield Variation(
            "no transposition", lambda call: call.first, remedy="" if call.name in ("transpose", "t", "swapaxes") else SAME_AXES
        )
        return
    x = call.first
    if not isinstance(x, torch.Tensor) or x.dim() not in (3, 4, 5):
        return
    result = call.again()
    if result.dim() != 2 or result.numel() != x.numel() or result.shape[0] != x.shape[0]:
        return
    last = (0, *range(2, x.dim()), 1)
    first = (0, x.dim() - 1, *range(1, x.dim() - 1))
    yield Variation("features flattened with channels last (NHWC)", lambda call: call.first.permute(last).flatten(1))
    yield Variation("features flattened with channels first (NCHW)", lambda call: call.first.permute(first).flatten(1))


def _divisions(call: Call) -> Iterator[Variation]:
    if call.name in ("floor_divide", "div", "rdiv", "rfloordiv"):
        mode = "floor" if call.name in ("floor_divide", "rfloordiv") else call.keywords.get("rounding_mode")
        turned = call.name in ("rdiv", "rfloordiv")
        operands = [call.first, call.value("other") if call.name == "div" else call.arguments[1]]
        integral = all(not torch.is_tensor(operand) or not operand.is_floating_point() for operand in operands)
        for other in ("floor", "trunc", None):
            if other != mode and (integral or mode is not None):
                words = {"floor": "division rounded down", "trunc": "division rounded toward zero", None: "true division"}[other]
                yield Variation(words, lambda call, other=other: _divided(call, other, turned=turned))
    elif call.name in ("remainder", "fmod"):
        other = "fmod" if call.name == "remainder" else "remainder"
        yield Variation(f"torch.{other} instead of torch.{call.name}", lambda call: getattr(torch, other)(*call.arguments))
    elif call.name in ("to", "int", "long", "type", "short"):
        if isinstance(call.first, torch.Tensor) and call.first.is_floating_point() and not call.again().is_floating_point():
            for name in ("floor", "round"):
                yield Variation(
                    f"the conversion to integers by torch.{name}",
                    lambda call, name=name: call.function(getattr(torch, name)(call.first), *call.arguments[1:], **call.keywords),
                )
    elif call.name in ("floor", "trunc", "ceil"):
        for name in ("floor", "trunc", "ceil", "round"):
            if name != call.name:
                yield Variation(f"torch.{name} instead of torch.{call.name}", lambda call, name=name: getattr(torch, name)(call.first))


def _divided(call: Call, mode: str | None, *, turned: bool) -> torch.Tensor:
    first, second = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else call.keywords["other"]
    return torch.div(*((second, first) if turned else (first, second)), rounding_mode=mode)


def _halves(call: Call) -> Iterator[Variation]:
    if call.name == "fake_quantize_per_tensor_affine":
        scale, zero, low, high = call.arguments[1:5]
        yield Variation(
            "halves rounded up instead of to even",
            lambda call: ((call.first / scale + zero + 0.5).floor().clamp(low, high) - zero) * scale,
        )
        return
    if call.keywords.get("decimals", 0):
        return
    yield Variation(
        "halves rounded away from zero instead of to even",
        lambda call: torch.sign(call.first) * torch.floor(call.first.abs() + 0.5),
    )
    yield Variation("halves rounded up instead of to even", lambda call: torch.floor(call.first + 0.5))


def _nans(call: Call) -> Iterator[Variation]:
    x = call.first
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        return
    if call.name in ("maximum", "minimum", "max", "min") and len(call.arguments) > 1 and torch.is_tensor(call.arguments[1]):
        function = torch.fmax if call.name.startswith("max") else torch.fmin
        yield Variation("NaN dropped (fmax, fmin)", lambda call: function(call.arguments[0], call.arguments[1]))
    elif call.name in ("fmax", "fmin"):
        function = torch.maximum if call.name == "fmax" else torch.minimum
        yield Variation("NaN kept (maximum, minimum)", lambda call: function(call.arguments[0], call.arguments[1]))
    elif call.name in ("amax", "amin", "max", "min"):
        worst = -torch.inf if "max" in call.name else torch.inf
        yield Variation(
            "NaN dropped",
            lambda call: call.function(torch.nan_to_num(call.first, worst, torch.inf, -torch.inf), *call.arguments[1:], **call.keywords),
        )
    elif call.name == "clamp":
        for key in ("min", "max"):
            bound = call.value(key)
            if bound is not None:
                yield Variation(
                    f"NaN clamped to {key}",
                    lambda call, bound=bound: torch.where(call.first.isnan(), torch.as_tensor(bound, dtype=call.first.dtype), call.again()),
                )
    elif call.name in ("relu", "relu6", "leaky_relu", "nan_to_num", "sum", "mean"):
        yield Variation(
            "NaN taken as zero",
            lambda call: call.function(torch.where(call.first.isnan(), 0.0, call.first), *call.arguments[1:], **call.keywords),
        )
        if call.name == "relu":
            yield Variation("NaN kept", lambda call: torch.where(call.first.isnan(), call.first, call.again()))


def _rectified(call: Call) -> Iterator[Variation]:
    if call.value("training", True) and call.value("p", 0.5) > 0:
        yield changed("no dropout", training=False)
    elif call.value("p", 0.5) > 0:
        yield changed("dropout", training=True)


def _whose_rounding(site: Site) -> str:
    """A conversion to integers that follows a division is an integer division."""
    if site.flow.names[site.number] in ("floor_divide", "div", "rdiv", "rfloordiv", "remainder", "fmod"):
        return "integer division"
    return "integer division" if site.flow.follows(site.number, among("div floor_divide"), 2) else "rounding to integers"


def _whose_order(site: Site) -> str:
    """A transposition on the way to a product of two operands is that of a weight; any other orders features."""
    names = site.flow.names[site.number]
    is_operand = names in ("transpose", "t", "swapaxes") and site.flow.leads_to(
        site.number, among("matmul mm bmm addmm baddbmm rmatmul"), 1
    )
    return "transposed weight" if is_operand else "flatten order"


STRIDES = Hypothesis(
    "strides ignored", MEMORY,
    "right for contiguous operands, elements in the wrong places for transposed or sliced ones",
    "strided operands read as if they were contiguous",
    "honor strides, or call .contiguous() first",
    ("pytorch/pytorch#118115", "pytorch/pytorch#162730", "pytorch/pytorch#55781"),
    frozenset(), _strided,
)  # fmt: skip
FLATTEN = Hypothesis(
    "flatten order", FORMULA,
    "right until features are flattened, wrong from the next layer on",
    "channels last and first where features are flattened",
    "permute before flattening, x.permute(0, 2, 3, 1).flatten(1), or permute the next layer's weights",
    ("discuss.pytorch.org/t/184306", "henrysky.github.io/blog/2023-10-23-keras-torch"),
    among("flatten reshape view permute transpose swapaxes t movedim"), _flattened, naming=_whose_order,
)  # fmt: skip
DIVISION = Hypothesis(
    "integer division", FORMULA,
    "off by one for negative or fractional quotients",
    "quotients rounded down, toward zero and not at all",
    "round the same way in both (divisions by torch.div(x, y, rounding_mode=...))",
    ("microsoft/DirectML#702",),
    among("floor_divide div rdiv rfloordiv remainder fmod to int long type short floor trunc ceil"), _divisions, naming=_whose_rounding,
)  # fmt: skip
HALVES = Hypothesis(
    "rounding of halves", FORMULA,
    "off by one at n + 1/2 only",
    "halves rounded to even, away from zero and up",
    "round halves the same way on both sides: torch.round rounds them to even",
    ("pytorch/pytorch#16498",),
    among("round fake_quantize_per_tensor_affine"), _halves,
)  # fmt: skip
NAN = Hypothesis(
    "NaN handling", FORMULA,
    "NaN on one side, numbers on the other",
    "NaN kept and dropped",
    "treat NaN the same way on both sides: torch.maximum keeps NaN, torch.fmax drops it",
    ("microsoft/onnxruntime#19984", "apache/tvm#19518", "tile-ai/tilelang#3024"),
    among("maximum minimum max min fmax fmin amax amin clamp relu relu6 leaky_relu sum mean"), _nans,
)  # fmt: skip
DROPOUT = Hypothesis(
    "dropout", FORMULA,
    "different results with every seed, some of them zero",
    "dropout left out",
    "call model.eval() before comparing",
    ("stackoverflow 57423150", "pytorch/pytorch#109532"),
    among("dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout"), _rectified,
)  # fmt: skip
ALL = (FLATTEN, STRIDES, DIVISION, HALVES, NAN, DROPOUT)
