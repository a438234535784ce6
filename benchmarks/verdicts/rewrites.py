"""Honest rewrites: the same function computed in another order or by another algorithm, put in place of PyTorch's own calls.

`Rewritten` is a function mode: inside it, chosen calls of a model (linear, conv2d, layer_norm, softmax ...) go through an alternative.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from .algorithms import fft_conv, im2col_conv, threads

Call = Callable[..., Any]


class Rewritten(TorchFunctionMode):
    """Replaces calls by name.

    Args:
        calls: name of the PyTorch function -> (original, *args, **kwargs) -> result; it may return NotImplemented to decline.
        at: only the call of that number (counted over the names in `calls`); None for every one.
    """

    def __init__(self, calls: dict[str, Call], at: int | None = None) -> None:
        super().__init__()
        self.calls = calls
        self.at = at
        self.count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        replace = self.calls.get(getattr(func, "__name__", ""))
        if replace is not None:
            place, self.count = self.count, self.count + 1
            if self.at is None or self.at == place:
                result = replace(func, *args, **kwargs)
                if result is not NotImplemented:
                    return result
        return func(*args, **kwargs)


def rewritten(function: Call, calls: dict[str, Call], at: int | None = None) -> Call:
    """The function with some of its calls replaced."""

    def run(*inputs: Any) -> Any:
        with Rewritten(calls, at):
            return function(*inputs)

    return run


def _blocks(size: int, count: int) -> Iterator[slice]:
    step = max(1, -(-size // count))
    for start in range(0, size, step):
        yield slice(start, min(size, start + step))


def linear_unfused(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    product = torch.matmul(x, weight.T)
    return product if bias is None else product + bias


def linear_blocked(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    parts = [torch.matmul(x[..., block], weight[:, block].T) for block in _blocks(weight.shape[1], 3)]
    total = parts[0] if bias is None else parts[0] + bias
    for part in parts[1:]:
        total = total + part
    return total


def linear_reversed(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    return func(x.flip(-1), weight.flip(1), bias)


def linear_row_by_row(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    rows = x.reshape(-1, x.shape[-1])
    return torch.cat([func(row[None], weight, bias) for row in rows]).reshape(*x.shape[:-1], weight.shape[0])


def linear_outer(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    total = torch.zeros(*x.shape[:-1], weight.shape[0], dtype=x.dtype) if bias is None else bias.expand(*x.shape[:-1], weight.shape[0])
    for k in range(weight.shape[1]):
        total = total + x[..., k : k + 1] * weight[:, k]
    return total


def linear_multiplied_and_summed(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    product = (x[..., None, :] * weight).sum(-1)
    return product if bias is None else product + bias


def linear_einsum(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    product = torch.einsum("...k,ok->...o", x, weight)
    return product if bias is None else bias + product


def linear_transposed(func: Call, x: Any, weight: Any, bias: Any = None) -> Any:
    rows = x.reshape(-1, x.shape[-1])
    product = torch.matmul(weight, rows.T).T.reshape(*x.shape[:-1], weight.shape[0])
    return product if bias is None else product + bias


def conv_im2col(
    func: Call, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    if groups != 1 or _pair(dilation) != (1, 1) or bias is None or len(set(_pair(stride))) + len(set(_pair(padding))) != 2:
        return NotImplemented
    return im2col_conv(x, weight, bias, _pair(stride)[0], _pair(padding)[0])


def onednn(enabled: bool) -> AbstractContextManager[Any]:
    """PyTorch's own switch; where it knows TF32, it warns about that unless it is told to leave it. PyTorch 2.4 doesn't."""
    flags: Any = torch.backends.mkldnn.flags
    return flags(enabled=enabled, **({"allow_tf32": None} if "allow_tf32" in inspect.signature(flags).parameters else {}))


def conv_without_onednn(func: Call, *args: Any, **kwargs: Any) -> Any:
    with onednn(False):
        return func(*args, **kwargs)


def conv_channels_last(func: Call, x: Any, weight: Any, *rest: Any, **kwargs: Any) -> Any:
    if x.dim() != 4:
        return NotImplemented
    return func(
        x.contiguous(memory_format=torch.channels_last), weight.contiguous(memory_format=torch.channels_last), *rest, **kwargs
    ).contiguous()


def conv_one_by_one(func: Call, x: Any, *rest: Any, **kwargs: Any) -> Any:
    return torch.cat([func(each[None], *rest, **kwargs) for each in x])


def conv_shifted(
    func: Call, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    if groups != 1 or _pair(stride) != (1, 1) or _pair(dilation) != (1, 1):
        return NotImplemented
    vertical, horizontal = _pair(padding)
    padded = F.pad(x, (horizontal, horizontal, vertical, vertical))
    height, width = padded.shape[2] - weight.shape[2] + 1, padded.shape[3] - weight.shape[3] + 1
    total = torch.zeros(x.shape[0], weight.shape[0], height, width, dtype=x.dtype)
    for i in range(weight.shape[2]):
        for j in range(weight.shape[3]):
            total = total + torch.einsum("bchw,oc->bohw", padded[:, :, i : i + height, j : j + width], weight[:, :, i, j])
    return total if bias is None else total + bias[:, None, None]


def conv_fourier(
    func: Call, x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    plain = groups == 1 and _pair(stride) == (1, 1) and _pair(dilation) == (1, 1) and bias is not None
    if not plain or _pair(padding) != (1, 1) or weight.shape[2:] != (3, 3):
        return NotImplemented
    return fft_conv(x, weight, bias)


def _pair(value: Any) -> tuple[int, int]:
    if isinstance(value, int):
        return (value, value)
    return (value[0], value[-1]) if not isinstance(value, str) else (-1, -1)


def layer_norm_formula(func: Call, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    mean = x.mean(-1, keepdim=True)
    scaled = (x - mean) / torch.sqrt((x - mean).square().mean(-1, keepdim=True) + eps)
    return (scaled if weight is None else scaled * weight) + (0 if bias is None else bias)


def layer_norm_welford(func: Call, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    mean, squares = x[..., 0], torch.zeros_like(x[..., 0])
    for count in range(1, x.shape[-1]):
        off = x[..., count] - mean
        mean = mean + off / (count + 1)
        squares = squares + off * (x[..., count] - mean)
    scaled = (x - mean[..., None]) * torch.rsqrt(squares[..., None] / x.shape[-1] + eps)
    return (scaled if weight is None else scaled * weight) + (0 if bias is None else bias)


def layer_norm_folded(func: Call, x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    mean = x.mean(-1, keepdim=True)
    scale = torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + eps)
    scale = scale if weight is None else scale * weight
    return x * scale + ((0 if bias is None else bias) - mean * scale)


def group_norm_formula(func: Call, x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    parts = x.reshape(x.shape[0], groups, -1)
    mean = parts.mean(-1, keepdim=True)
    parts = (parts - mean) * torch.rsqrt((parts - mean).square().mean(-1, keepdim=True) + eps)
    shape = (1, -1) + (1,) * (x.dim() - 2)
    return parts.reshape(x.shape) * weight.reshape(shape) + bias.reshape(shape)


def batch_norm_folded(
    func: Call,
    x: Any,
    mean: Any,
    var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if training or weight is None:
        return NotImplemented
    shape = (1, -1) + (1,) * (x.dim() - 2)
    scale = weight / torch.sqrt(var + eps)
    return x * scale.reshape(shape) + (bias - mean * scale).reshape(shape)


def batch_norm_formula(
    func: Call,
    x: Any,
    mean: Any,
    var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    shape = (1, -1) + (1,) * (x.dim() - 2)
    if training:
        axes = [0, *range(2, x.dim())]
        count = x.numel() // x.shape[1]
        used_mean, used_var = x.mean(axes), x.var(axes, unbiased=False)
        with torch.no_grad():
            mean.mul_(1 - momentum).add_(momentum * used_mean)
            var.mul_(1 - momentum).add_(momentum * used_var * (count / (count - 1)))
    else:
        used_mean, used_var = mean, var
    scaled = (x - used_mean.reshape(shape)) / torch.sqrt(used_var.reshape(shape) + eps)
    return scaled * weight.reshape(shape) + bias.reshape(shape)


def softmax_formula(func: Call, x: Any, dim: int = -1, *rest: Any, **kwargs: Any) -> Any:
    shifted = torch.exp(x - x.amax(dim, keepdim=True))
    return shifted / shifted.sum(dim, keepdim=True)


def softmax_base_two(func: Call, x: Any, dim: int = -1, *rest: Any, **kwargs: Any) -> Any:
    shifted = torch.exp2((x - x.amax(dim, keepdim=True)) * (1.0 / math.log(2.0)))
    return shifted * (1.0 / shifted.sum(dim, keepdim=True))


def softmax_logarithmic(func: Call, x: Any, dim: int = -1, *rest: Any, **kwargs: Any) -> Any:
    return torch.exp(x - torch.logsumexp(x, dim, keepdim=True))


def gelu_formula(func: Call, x: Any, approximate: str = "none") -> Any:
    return NotImplemented if approximate != "none" else x * (0.5 * (1.0 + torch.erf(x / math.sqrt(2.0))))


def silu_formula(func: Call, x: Any, inplace: bool = False) -> Any:
    return x / (1.0 + torch.exp(-x))


def sigmoid_by_tanh(func: Call, x: Any) -> Any:
    return 0.5 * (torch.tanh(0.5 * x) + 1.0)


def matmul_blocked(func: Call, left: Any, right: Any) -> Any:
    if left.dim() < 2 or right.dim() < 2:
        return NotImplemented
    total = None
    for block in _blocks(left.shape[-1], 2):
        part = func(left[..., block], right[..., block, :])
        total = part if total is None else total + part
    return total


def mean_by_sum(func: Call, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    axes = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    total = x.flip(axes).sum(axes, keepdim=keepdim)
    return total / (x.numel() // max(1, total.numel()))


def in_float64(func: Call, *args: Any, **kwargs: Any) -> Any:
    """The call in float64, rounded once: what a more exact library would return."""
    first = args[0]
    wide = [argument.double() if isinstance(argument, torch.Tensor) and argument.is_floating_point() else argument for argument in args]
    return func(*wide, **kwargs).to(first.dtype)


REWRITES: dict[str, dict[str, Call]] = {
    "linear: product, then bias": {"linear": linear_unfused},
    "linear: K in three blocks, bias in the first": {"linear": linear_blocked},
    "linear: K backwards": {"linear": linear_reversed},
    "linear: row by row": {"linear": linear_row_by_row},
    "linear: chain of outer products": {"linear": linear_outer},
    "linear: multiply, then sum": {"linear": linear_multiplied_and_summed},
    "linear: einsum": {"linear": linear_einsum},
    "linear: transposed product": {"linear": linear_transposed},
    "linear: in float64, rounded": {"linear": in_float64},
    "conv2d: im2col": {"conv2d": conv_im2col},
    "conv: without oneDNN": {"conv2d": conv_without_onednn, "conv1d": conv_without_onednn, "conv_transpose2d": conv_without_onednn},
    "conv2d: channels last": {"conv2d": conv_channels_last},
    "conv: one by one": {"conv2d": conv_one_by_one, "conv1d": conv_one_by_one, "conv_transpose2d": conv_one_by_one},
    "conv2d: sum of shifted products": {"conv2d": conv_shifted},
    "conv2d: Fourier transform": {"conv2d": conv_fourier},
    "conv: in float64, rounded": {"conv2d": in_float64, "conv1d": in_float64, "conv_transpose2d": in_float64},
    "layer norm: formula": {"layer_norm": layer_norm_formula},
    "layer norm: Welford": {"layer_norm": layer_norm_welford},
    "layer norm: folded": {"layer_norm": layer_norm_folded},
    "group norm: formula": {"group_norm": group_norm_formula},
    "batch norm: folded": {"batch_norm": batch_norm_folded},
    "batch norm: formula": {"batch_norm": batch_norm_formula},
    "softmax: formula": {"softmax": softmax_formula},
    "softmax: base two": {"softmax": softmax_base_two},
    "softmax: log-sum-exp": {"softmax": softmax_logarithmic},
    "gelu: formula": {"gelu": gelu_formula},
    "silu: formula": {"silu": silu_formula},
    "sigmoid: by tanh": {"sigmoid": sigmoid_by_tanh},
    "matmul: K in two blocks": {"matmul": matmul_blocked},
    "mean: sum backwards": {"mean": mean_by_sum},
    "everything: other formulas": {
        "linear": linear_blocked,
        "layer_norm": layer_norm_folded,
        "softmax": softmax_base_two,
        "gelu": gelu_formula,
        "silu": silu_formula,
        "batch_norm": batch_norm_folded,
        "matmul": matmul_blocked,
    },
}
"""Name of a rewrite -> the calls that it replaces."""


def one_thread(function: Call) -> Call:
    """The function on one thread."""

    def run(*inputs: Any) -> Any:
        with threads(1):
            return function(*inputs)

    return run


def batch_in_halves(function: Call) -> Call:
    """The function on each half of the batch (the first axis of every input)."""

    def run(*inputs: Any) -> Any:
        half = (inputs[0].shape[0] + 1) // 2
        return torch.cat([function(*(tensor[:half] for tensor in inputs)), function(*(tensor[half:] for tensor in inputs))])

    return run


def met_calls(function: Call, inputs: tuple[Any, ...], names: Any) -> int:
    """How often a function makes calls of these names."""
    mode = Rewritten({name: lambda func, *args, **kwargs: NotImplemented for name in names})
    with mode, contextlib.suppress(RuntimeError), torch.no_grad():
        function(*inputs)
    return mode.count
