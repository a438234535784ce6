"""What devices were reported to do, each a function to give to `Lender.having`.

A fault takes an op, its name, its arguments and keywords and `run`, which asks the device without this fault; it returns what the device
makes of the op, or NotImplemented where the op is none of its concern.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

from .memory import ATEN

# Moves


def _is_move(name: str) -> bool:
    """Whether an op only moves numbers: devices that can't compute in float64 still store it."""
    return name in _MOVES or name.startswith(("aten::empty", "aten::_copy"))


_MOVES = frozenset(
    "aten::" + name
    for name in (
        "_local_scalar_dense", "_reshape_alias", "_to_copy", "_unsafe_view", "alias", "as_strided", "clone", "copy_", "detach", "expand", "fill_",
        "permute", "resize_", "select", "set_", "slice", "split", "squeeze", "t", "transpose", "unbind", "unsqueeze", "view", "zero_",
    )
)  # fmt: skip


def _is_float64(value: Any) -> bool:
    """Whether it is a float64 tensor of the device, or asks for one. A Python number arrives as a float64 tensor of the host."""
    if isinstance(value, torch.Tensor):
        return value.dtype == torch.float64 and value.device.type != "cpu"
    return value is torch.float64


def _computes_in_float64(name: str, arguments: Any, keywords: Any) -> bool:
    return not _is_move(name) and any(map(_is_float64, tree_flatten((arguments, keywords))[0]))


def _cast(run: Any, tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return run(ATEN._to_copy.default, (tensor,), {"dtype": dtype})


# float64


def float64_in_float32(op, name, arguments, keywords, run):
    """float64 comes back and was computed in float32: DirectML#398, #309."""
    if not _computes_in_float64(name, arguments, keywords):
        return NotImplemented

    def lowered(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return _cast(run, value, torch.float32) if value.dtype == torch.float64 else value
        return torch.float32 if value is torch.float64 else value

    given, words = tree_map(lowered, arguments), tree_map(lowered, keywords)
    result = run(op, given, words)
    written: dict[int, torch.Tensor] = {}
    for place, argument in enumerate(op._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            own, low = (
                (arguments[place], given[place]) if place < len(arguments) else (keywords.get(argument.name), words.get(argument.name))
            )
            if own is not low:
                run(ATEN.copy_.default, (own, low), {})
                written[id(low)] = own

    def raised(value: Any) -> Any:
        if id(value) in written:
            return written[id(value)]
        return _cast(run, value, torch.float64) if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value

    return tree_map(raised, result)


def float64_refused_on_arrival(op, name, arguments, keywords, run):
    """MPS has no float64 at all, by design: pytorch#122602."""
    wanted = keywords.get("dtype") or (arguments[0].dtype if name == "aten::_to_copy" else None)
    arrives = name == "aten::_to_copy" and wanted == torch.float64 and str(keywords.get("device")) != "cpu"
    if not arrives and not _computes_in_float64(name, arguments, keywords):
        return NotImplemented
    raise TypeError(
        "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. Please use float32 instead."
    )


def float64_not_computed(op, name, arguments, keywords, run):
    """Intel GPUs without float64 store it and compute nothing with it: torch-xpu-ops#1742; under DirectML in other words: DirectML#430."""
    if not _computes_in_float64(name, arguments, keywords):
        return NotImplemented
    raise RuntimeError("Required aspect fp64 is not supported on the device")


# Values


def bool_wins_products(op, name, arguments, keywords, run):
    """float * bool is bool, and the tensor that is multiplied in place becomes one: DirectML#686, #737."""
    if name not in ("aten::mul", "aten::mul_") or not all(isinstance(argument, torch.Tensor) for argument in arguments):
        return NotImplemented
    number, mask = arguments
    if not number.is_floating_point() or mask.dtype != torch.bool:
        return NotImplemented
    product = _cast(run, run(ATEN.mul.Tensor, arguments, {}), torch.bool)
    if name == "aten::mul":
        return product
    number.data = product
    return number


def integers_divide_to_integers(op, name, arguments, keywords, run):
    """-1 / 3 is 0 and 4 / 3 is 1 where integers are divided: DirectML#347."""
    if name != "aten::div" or keywords.get("rounding_mode") is not None or not _is_integer(arguments[0]):
        return NotImplemented
    return _cast(run, _truncated(run, arguments), torch.float32)


def floor_division_truncates(op, name, arguments, keywords, run):
    """-7 // 2 is -3, as in PyTorch before 1.13 (pytorch#44858). Of a device it is an assumption."""
    if name != "aten::floor_divide" or not _is_integer(arguments[0]):
        return NotImplemented
    return _truncated(run, arguments)


def _is_integer(tensor: torch.Tensor) -> bool:
    return not tensor.is_floating_point() and tensor.dtype != torch.bool


def _truncated(run: Any, arguments: Any) -> torch.Tensor:
    divide = ATEN.div.Tensor_mode if isinstance(arguments[1], torch.Tensor) else ATEN.div.Scalar_mode
    return run(divide, arguments, {"rounding_mode": "trunc"})


def sums_of_integers_are_their_terms(op, name, arguments, keywords, run):
    """cumsum of int64 returns its input: MPS, pytorch#90635."""
    if name != "aten::cumsum" or arguments[0].dtype not in (torch.int64, torch.int16, torch.int8):
        return NotImplemented
    return run(ATEN.clone.default, arguments[:1], {})


# Training


def no_gradient_of_unreduced_loss(op, name, arguments, keywords, run):
    """cross_entropy(reduction="none") is right and its gradient is zero: DirectML#739, #740."""
    unreduced = 0
    if name != "aten::nll_loss_backward" or arguments[4] != unreduced:
        return NotImplemented
    return run(ATEN.zeros_like.default, (arguments[1],), {})


def statistics_not_updated(op, name, arguments, keywords, run):
    """Batch normalization leaves its running statistics as they were: DirectML#364."""
    if name not in ("aten::native_batch_norm", "aten::_native_batch_norm_legit"):
        return NotImplemented
    copies = [argument if argument is None else run(ATEN.clone.default, (argument,), {}) for argument in arguments[3:5]]
    return run(op, (*arguments[:3], *copies, *arguments[5:]), keywords)


def gaps_are_not_written(op, name, arguments, keywords, run):
    """addcmul_ and addcdiv_ leave a tensor that is not contiguous as it was: MPS, pytorch#118115."""
    if name not in ("aten::addcmul_", "aten::addcdiv_") or arguments[0].is_contiguous():
        return NotImplemented
    return arguments[0]


# No fault


def sums_in_two_halves(op, name, arguments, keywords, run):
    """Products of matrices add their terms in another order, as every device does: rounding, and no fault."""
    if name not in ("aten::mm", "aten::addmm") or keywords:
        return NotImplemented
    left, right = arguments[-2:]
    half = left.shape[1] // 2

    def part(start: int, end: int) -> torch.Tensor:
        rows = run(ATEN.slice.Tensor, (left, 1, start, end), {})
        return run(ATEN.mm.default, (rows, run(ATEN.slice.Tensor, (right, 0, start, end), {})), {})

    product = run(ATEN.add.Tensor, (part(0, half), part(half, left.shape[1])), {})
    return product if name == "aten::mm" else run(ATEN.add.Tensor, (arguments[0], product), {})
