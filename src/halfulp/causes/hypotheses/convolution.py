"""What goes wrong with convolutions, products and pooling: kernels, weights, biases, borders, dropped parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.nn import functional as F

from ..calls import Call
from .hypothesis import FORMULA, Hypothesis, Site, Variation, among, changed

CONVOLUTIONS = "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d"


def _spatial(weight: torch.Tensor) -> tuple[int, ...]:
    return tuple(range(2, weight.dim()))


def _flipped(call: Call) -> Iterator[Variation]:
    weight = call.value("weight")
    axes = _spatial(weight)
    if any(weight.shape[axis] > 1 for axis in axes):
        yield Variation("the kernel flipped", lambda call: call.again(weight=call.value("weight").flip(axes)))
        if len(axes) > 1:
            for axis in axes:
                yield Variation(
                    f"the kernel flipped along axis {axis}",
                    lambda call, axis=axis: call.again(weight=call.value("weight").flip((axis,))),
                )


def _transposed(call: Call) -> Iterator[Variation]:
    if call.name == "linear" and _is_square(call.value("weight")):
        yield Variation("the weight transposed", lambda call: call.again(weight=call.value("weight").t()))
    elif call.name in ("matmul", "mm", "bmm", "rmatmul", "addmm", "baddbmm"):
        places = (1, 2) if call.name in ("addmm", "baddbmm") else (0, 1)
        for place in places:
            operand = call.arguments[place] if place < len(call.arguments) else None
            if isinstance(operand, torch.Tensor) and operand.dim() >= 2 and operand.shape[-1] == operand.shape[-2] > 1:
                words = ("first", "second")[places.index(place)]
                yield Variation(
                    f"the {words} operand transposed",
                    lambda call, place=place: _at(call, place, call.arguments[place].transpose(-1, -2)),
                )
    elif call.name in CONVOLUTIONS.split():
        weight = call.value("weight")
        if weight.shape[0] == weight.shape[1] > 1 and call.value("groups", 1) == 1:
            yield Variation(
                "input and output channels of the weight exchanged",
                lambda call: call.again(weight=call.value("weight").transpose(0, 1)),
            )
        if weight.dim() == 4 and weight.shape[2] == weight.shape[3] > 1:
            yield Variation(
                "rows and columns of the kernel exchanged",
                lambda call: call.again(weight=call.value("weight").transpose(2, 3)),
            )


def _is_square(weight: Any) -> bool:
    return isinstance(weight, torch.Tensor) and weight.dim() == 2 and weight.shape[0] == weight.shape[1] > 1


def _at(call: Call, place: int, value: Any) -> Any:
    arguments = list(call.arguments)
    arguments[place] = value
    return call.function(*arguments, **call.keywords)


def _adds_bias(call: Call) -> bool:
    """Whether something smaller is added to every sample or row."""
    whole, other = call.first, call.value("other")
    tensors = isinstance(other, torch.Tensor) and isinstance(whole, torch.Tensor)
    return tensors and other.numel() < whole.numel() and whole.is_floating_point()


def _biases(call: Call) -> Iterator[Variation]:
    if call.name in ("add", "sub"):
        if _adds_bias(call):
            yield Variation("no bias", lambda call: call.first * 1)
        return
    if call.name in ("addmm", "baddbmm"):
        yield Variation("no bias", lambda call: call.arguments[1] @ call.arguments[2])
        return
    if call.name in ("lstm", "gru", "lstm_cell", "gru_cell", "rnn_tanh", "rnn_tanh_cell"):
        yield from _recurrent_biases(call)
        return
    if call.value("bias") is not None:
        yield changed("no bias", bias=None)


def _recurrent_biases(call: Call) -> Iterator[Variation]:
    if call.name.endswith("_cell") and call.value("b_ih") is not None:
        for dropped in ("b_ih", "b_hh"):
            yield Variation(f"no {dropped}", lambda call, dropped=dropped: call.again(**{dropped: torch.zeros_like(call.value(dropped))}))
    elif call.value("has_biases", False) is True:
        for offset, dropped in ((2, "bias_ih"), (3, "bias_hh")):
            yield Variation(
                f"no {dropped}",
                lambda call, offset=offset: call.again(
                    params=[torch.zeros_like(one) if place % 4 == offset else one for place, one in enumerate(call.value("params"))]
                ),
            )


def _doubled(call: Call) -> Iterator[Variation]:
    if call.name in ("add", "sub"):
        if _adds_bias(call):
            yield Variation("the bias added twice", lambda call: call.again(other=call.value("other") * 2))
        return
    if call.name in ("addmm", "baddbmm"):
        yield Variation("the bias added twice", lambda call: _at(call, 0, call.first * 2))
        return
    if call.name.endswith("_cell"):
        if call.value("b_ih") is not None:
            for name in ("b_ih", "b_hh"):
                yield Variation(f"{name} added twice", lambda call, name=name: call.again(**{name: call.value(name) * 2}))
        return
    if call.value("bias") is not None:
        yield Variation("the bias added twice", lambda call: call.again(bias=call.value("bias") * 2))


def _pairs(value: Any, dims: int) -> list[int]:
    return [int(value)] * dims if not isinstance(value, (tuple, list)) else [int(item) for item in value] * (dims if len(value) == 1 else 1)


def _padding_modes(call: Call) -> Iterator[Variation]:
    if call.name == "pad":
        present = call.value("mode", "constant")
        for mode in ("constant", "reflect", "replicate", "circular"):
            if mode != present:
                yield Variation(
                    f"padding mode {mode} instead of {present}",
                    lambda call, mode=mode: F.pad(call.first, call.value("pad"), mode=mode),
                )
        yield Variation(
            "the padding widths of both ends swapped", lambda call: F.pad(call.first, _swapped(call.value("pad")), mode=present)
        )
        return
    given = call.value("padding", 0)
    dims = call.value("weight").dim() - 2 if call.name.startswith("conv") else call.first.dim() - 2
    if isinstance(given, str) or not any(_pairs(given, dims)):
        return
    widths = _pairs(given, dims)
    both = [width for number in reversed(widths) for width in (number, number)]
    for mode in ("reflect", "replicate", "circular"):
        yield Variation(
            f"padding mode {mode} instead of zeros",
            lambda call, mode=mode: call.again(input=F.pad(call.first, both, mode=mode), padding=0),
        )
    stride = _pairs(call.value("stride", 1) or 1, dims)
    if any(number > 1 for number in stride) or any(size % 2 == 0 for size in call.value("weight").shape[2:]):
        for words, shift in (("one more on the right (like TensorFlow's SAME)", 1), ("one more on the left", -1)):
            moved = [width for number in reversed(widths) for width in (number - (shift > 0), number + (shift > 0))]
            moved = moved if shift > 0 else [width for number in reversed(widths) for width in (number + 1, number - 1)]
            yield Variation(f"padding with {words}", lambda call, moved=moved: call.again(input=F.pad(call.first, moved), padding=0))


def _swapped(widths: Sequence[int]) -> list[int]:
    return [width for start in range(0, len(widths), 2) for width in (widths[start + 1], widths[start])]


def _pool_padding(call: Call) -> Iterator[Variation]:
    present = call.value("count_include_pad", True)
    yield changed(f"count_include_pad = {not present} instead of {present}", count_include_pad=not present)
    if call.name != "avg_pool1d":
        area = math.prod(_pairs(call.value("kernel_size"), call.first.dim() - 2))
        yield Variation(
            f"every window (at the border too) divided by {area}",
            lambda call: call.again(divisor_override=area),
            remedy="divide by the same number in both (count_include_pad=, divisor_override=)",
        )


def _ceil(call: Call) -> Iterator[Variation]:
    present = bool(call.value("ceil_mode", False))
    yield changed(f"ceil_mode = {not present} instead of {present}", ceil_mode=not present)


def _ignored(call: Call) -> Iterator[Variation]:
    if call.name in ("add", "sub"):
        alpha = call.keywords.get("alpha", 1)
        if alpha != 1:
            yield changed(f"alpha = 1 instead of {alpha:g}", alpha=1)
    elif call.name in ("addmm", "baddbmm"):
        for key in ("alpha", "beta"):
            value = call.keywords.get(key, 1)
            if value != 1:
                yield changed(f"{key} = 1 instead of {value:g}", **{key: 1})
    elif call.name in CONVOLUTIONS.split():
        for key, usual in (("dilation", 1), ("stride", 1), ("groups", 1)):
            value = call.value(key, usual)
            if any(pair != usual for pair in _pairs(value, 1)):
                yield changed(f"{key} = {usual} instead of {value}", **{key: usual})
                if key == "dilation":  # the same shape with a kernel read densely
                    yield Variation("dilation ignored and the border cropped", _dense)
    elif call.name in ("layer_norm", "group_norm", "rms_norm", "batch_norm"):
        for key in ("weight", "bias"):
            if call.value(key) is not None:
                yield changed(f"no {key}", **{key: None})


def _dense(call: Call) -> torch.Tensor:
    wide = call.again()
    result = call.again(dilation=1)
    for axis in range(2, wide.dim()):
        surplus = result.shape[axis] - wide.shape[axis]
        result = result.narrow(axis, surplus // 2, wide.shape[axis])
    return result


FLIPPED = Hypothesis(
    "flipped kernel", FORMULA,
    "errors as large as the results; none for symmetric kernels",
    "the kernel flipped along its spatial axes",
    "PyTorch correlates and does not flip: for a true convolution, flip the spatial axes of the weight (weight.flip(-1) for conv1d, weight.flip(-1, -2) for conv2d)",
    ("labeled pairs",),
    among(CONVOLUTIONS), _flipped,
)  # fmt: skip
TRANSPOSED = Hypothesis(
    "transposed weight", FORMULA,
    "errors as large as the results with square weights (other shapes raise an exception)",
    "weights and operands transposed where the shape allows it",
    "store the weight with its axes in PyTorch's order: (out, in) for linear, (out, in, rows, columns) for conv2d",
    ("pytorch/pytorch#162730",),
    among(f"{CONVOLUTIONS} linear matmul mm bmm rmatmul addmm baddbmm"), _transposed,
)  # fmt: skip


def _whose_bias(site: Site) -> str:
    """A bias that the other side does without is missing there; a recurrent layer has two, and one too many is one counted twice."""
    recurrent = site.flow.names[site.number] in ("lstm", "gru", "lstm_cell", "gru_cell")
    return "doubled bias" if recurrent and site.side == "actual" else "missing bias"


MISSING_BIAS = Hypothesis(
    "missing bias", FORMULA,
    "one constant per channel is missing",
    "biases left out",
    "add the bias on both sides",
    ("ddbourgin/numpy-ml#42",),
    among(f"{CONVOLUTIONS} linear addmm baddbmm add sub lstm_cell gru_cell lstm gru layer_norm batch_norm group_norm"), _biases, naming=_whose_bias,
)  # fmt: skip
DOUBLED_BIAS = Hypothesis(
    "doubled bias", FORMULA,
    "one constant per channel too many",
    "biases added twice",
    "add the bias once",
    (),
    among(f"{CONVOLUTIONS} linear addmm baddbmm add sub lstm_cell gru_cell layer_norm batch_norm group_norm"), _doubled,
)  # fmt: skip
PADDING = Hypothesis(
    "padding mode", FORMULA,
    "errors along the border only",
    "other padding modes, and widths swapped between the ends",
    "pad the same way in both: F.pad before the convolution takes any mode and a different width at each end",
    ("pytorch/pytorch#183528",),
    among(f"{CONVOLUTIONS.split(' conv_t', maxsplit=1)[0]} pad"), _padding_modes,
)  # fmt: skip
COUNT_INCLUDE_PAD = Hypothesis(
    "count_include_pad", FORMULA,
    "results off by a rational factor, along the border only",
    "count_include_pad inverted",
    "pass the same count_include_pad= to both",
    ("pytorch/pytorch#13934",),
    among("avg_pool1d avg_pool2d avg_pool3d"), _pool_padding,
)  # fmt: skip
CEIL = Hypothesis(
    "ceil mode", FORMULA,
    "another shape, or errors in the last row and column",
    "ceil_mode inverted",
    "pass the same ceil_mode= to both",
    ("pytorch/pytorch#183528",),
    among("avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d"), _ceil,
)  # fmt: skip
IGNORED = Hypothesis(
    "parameter ignored", FORMULA,
    "right with the default value of a parameter, wrong with others",
    "each parameter at its default",
    "honor the parameter",
    ("pytorch/executorch#11683",),
    among(f"add sub addmm baddbmm layer_norm group_norm rms_norm batch_norm {CONVOLUTIONS}"), _ignored,
)  # fmt: skip
ALL = (FLIPPED, TRANSPOSED, IGNORED, MISSING_BIAS, DOUBLED_BIAS, PADDING, COUNT_INCLUDE_PAD, CEIL)
