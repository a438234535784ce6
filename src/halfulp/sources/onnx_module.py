"""An ONNX graph in PyTorch: node by node, by a table of ops, so that its noise can be sampled and it runs in float64 too.

It is the graph as it is written, without any engine's fusions, and so what the engines are compared with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..errors import InputError
from ..words.numbers import counted

Attributes = Mapping[str, Any]
Rule = Callable[[list[Any], Attributes], Any]


class OnnxModule(nn.Module):
    """A graph.

    Args:
        proto: the ModelProto.

    Attributes:
        unknown: ops that have no rule here.
    """

    def __init__(self, proto: Any) -> None:
        super().__init__()
        helper, numpy_helper = import_module("onnx.helper"), import_module("onnx.numpy_helper")
        graph = proto.graph
        self._places: dict[str, str] = {}
        self._whole: dict[str, torch.Tensor] = {}
        for item in graph.initializer:
            self._hold(item.name, numpy_helper.to_array(item))
        self._nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = []
        opsets = {item.domain: item.version for item in proto.opset_import}
        unknown: set[str] = set()
        for node in graph.node:
            attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
            if node.op_type == "Constant":
                self._hold(node.output[0], _constant(attributes, numpy_helper))
                continue
            if (
                node.op_type not in RULES
                or node.domain not in ("", "ai.onnx")
                or any(isinstance(value, bytes) and len(value) > 64 for value in attributes.values())
            ):
                unknown.add(node.op_type)
            decoded: dict[str, Any] = {name: value.decode() if isinstance(value, bytes) else value for name, value in attributes.items()}
            if node.op_type == "Cast":
                decoded["to"] = _dtype(helper, decoded["to"])
            elif node.op_type == "ConstantOfShape":
                decoded["value"] = (
                    torch.from_numpy(np.array(numpy_helper.to_array(decoded["value"]))) if "value" in decoded else torch.zeros(1)
                )
            self._nodes.append(
                (node.op_type, list(node.input), list(node.output), {**decoded, "opset": opsets.get("", 0), "outputs": len(node.output)})
            )
        held = {item.name for item in graph.initializer}
        self._inputs = [item.name for item in graph.input if item.name not in held]
        self._outputs = [item.name for item in graph.output]
        self.unknown = sorted(unknown)
        self.requires_grad_(False)

    def _hold(self, name: str, array: np.ndarray[Any, Any]) -> None:
        tensor = torch.from_numpy(np.array(array))
        if not tensor.is_floating_point():
            self._whole[name] = tensor
            return
        place = f"value_{len(self._places)}"
        self._places[name] = place
        self.register_buffer(place, tensor)

    def forward(self, *values: torch.Tensor) -> Any:
        """The outputs of the graph: one tensor, or a tuple."""
        if len(values) != len(self._inputs):
            raise InputError(
                f"Got {counted(len(values), 'input')} for an ONNX graph with {len(self._inputs)} ({', '.join(self._inputs)}). Needed: one for each of the graph's inputs. They are matched by position. Pass them in order."
            )
        known: dict[str, Any] = {"": None, **self._whole, **{name: getattr(self, place) for name, place in self._places.items()}}
        known |= zip(self._inputs, values)
        for kind, inputs, outputs, attributes in self._nodes:
            found = RULES[kind]([known[name] for name in inputs], attributes)
            known |= zip(outputs, found if isinstance(found, (tuple, list)) else (found,))
        results = tuple(known[name] for name in self._outputs)
        return results[0] if len(results) == 1 else results


def _constant(attributes: Attributes, numpy_helper: Any) -> np.ndarray[Any, Any]:
    for name, value in attributes.items():
        if name == "value":
            return numpy_helper.to_array(value)
        if name in ("value_float", "value_floats"):
            return np.asarray(value, np.float32)
        if name in ("value_int", "value_ints"):
            return np.asarray(value, np.int64)
    raise InputError(
        "Got an ONNX constant that is text or a sparse tensor. Needed: a dense tensor of numbers. halfulp can't compute with anything else. "
        "Check a part of the model without this constant."
    )


def _dtype(helper: Any, number: int) -> torch.dtype:
    return torch.from_numpy(np.zeros(0, helper.tensor_dtype_to_np_dtype(number))).dtype


def _ints(value: Any) -> list[int]:
    return [int(item) for item in (value.tolist() if isinstance(value, torch.Tensor) else value)]


def _axes(given: list[Any], attributes: Attributes, place: int = 1) -> list[int] | None:
    if len(given) > place and given[place] is not None:
        return _ints(given[place])
    return list(attributes["axes"]) if "axes" in attributes else None


def _reduced(reduce: Callable[..., torch.Tensor]) -> Rule:
    def rule(given: list[Any], attributes: Attributes) -> Any:
        axes, keep = _axes(given, attributes), bool(attributes.get("keepdims", 1))
        if axes is None and attributes.get("noop_with_empty_axes"):
            return given[0]
        return reduce(given[0], axes if axes is not None else list(range(given[0].dim())), keep)

    return rule


def _extreme(reduce: Callable[..., torch.Tensor]) -> Rule:
    return _reduced(lambda value, axes, keep: reduce(value, dim=axes, keepdim=keep))


def _cast(given: list[Any], attributes: Attributes) -> Any:
    # In a float64 run a cast to the stored float stays what it is: the precision of the run.
    wide = given[0].dtype == torch.float64 and attributes["to"] == torch.float32
    return given[0] if wide else given[0].to(attributes["to"])


def _gemm(given: list[Any], attributes: Attributes) -> Any:
    left = given[0].T if attributes.get("transA") else given[0]
    right = given[1].T if attributes.get("transB") else given[1]
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    if len(given) > 2 and given[2] is not None:
        return torch.addmm(given[2], left, right, beta=beta, alpha=alpha)
    return left @ right if alpha == 1.0 else alpha * (left @ right)


def _pads(given: torch.Tensor, attributes: Attributes, kernel: list[int], value: float = 0.0) -> torch.Tensor:
    """The input with its borders, of any two widths."""
    axes = len(kernel)
    pads = list(attributes.get("pads", [0] * (2 * axes)))
    if attributes.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
        strides, steps = attributes.get("strides", [1] * axes), attributes.get("dilations", [1] * axes)
        whole = [
            max(0, (math.ceil(size / stride) - 1) * stride + (width - 1) * step + 1 - size)
            for size, stride, width, step in zip(given.shape[2:], strides, kernel, steps)
        ]
        low = [total // 2 if attributes["auto_pad"] == "SAME_UPPER" else total - total // 2 for total in whole]
        pads = [*low, *(total - first for total, first in zip(whole, low))]
    if not any(pads):
        return given
    return F.pad(given, [pads[place + side * axes] for place in reversed(range(axes)) for side in (0, 1)], value=value)


def _conv(given: list[Any], attributes: Attributes) -> Any:
    weight, axes = given[1], given[1].dim() - 2
    function = (F.conv1d, F.conv2d, F.conv3d)[axes - 1]
    padded = _pads(given[0], attributes, list(weight.shape[2:]))
    bias = given[2] if len(given) > 2 else None
    steps = {"stride": attributes.get("strides", [1] * axes), "dilation": attributes.get("dilations", [1] * axes)}
    return function(padded, weight, bias, groups=attributes.get("group", 1), **steps)


def _pool_of_torch(given: torch.Tensor, attributes: Attributes, kind: str) -> torch.Tensor:
    """A pooling with last windows that stick out, or averages that leave padding out, where PyTorch has it: with the same width at both ends."""
    kernel = list(attributes["kernel_shape"])
    axes = len(kernel)
    pads = list(attributes.get("pads", [0] * (2 * axes)))
    dilations = list(attributes.get("dilations", [1] * axes))
    widths = [step * (width - 1) + 1 for width, step in zip(kernel, dilations)]
    is_plain = pads[:axes] == pads[axes:] and all(2 * pad <= width for pad, width in zip(pads, widths))
    if not is_plain or attributes.get("auto_pad", "NOTSET") != "NOTSET" or (kind == "avg" and any(step != 1 for step in dilations)):
        raise InputError(
            f"Got a pooling node with {'count_include_pad=0' if kind == 'avg' and not attributes.get('ceil_mode') else 'ceil_mode=1'}, pads={pads}, "
            f"dilations={dilations} and auto_pad={attributes.get('auto_pad', 'NOTSET')!r}. Needed: no auto_pad; the same padding at both ends of each "
            "axis, at most half the window; for averages, no dilations. halfulp can't run any other in PyTorch. Check a part of the model without this node."
        )
    chosen: dict[str, Any] = {
        "stride": attributes.get("strides", [1] * axes),
        "padding": pads[:axes],
        "ceil_mode": bool(attributes.get("ceil_mode")),
    }
    if kind == "max":
        return (F.max_pool1d, F.max_pool2d, F.max_pool3d)[axes - 1](given, kernel, dilation=dilations, **chosen)
    include = bool(attributes.get("count_include_pad"))
    return (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[axes - 1](given, kernel, count_include_pad=include, **chosen)


def _pool(kind: str) -> Rule:
    def rule(given: list[Any], attributes: Attributes) -> Any:
        kernel = list(attributes["kernel_shape"])
        axes, strides = len(kernel), attributes.get("strides", [1] * len(kernel))
        leaves_out = kind == "avg" and not attributes.get("count_include_pad") and any(attributes.get("pads", ()))
        if attributes.get("ceil_mode") or leaves_out:
            return _pool_of_torch(given[0], attributes, kind)
        padded = _pads(given[0], attributes, kernel, -math.inf if kind == "max" else 0.0)
        if kind == "max":
            return (F.max_pool1d, F.max_pool2d, F.max_pool3d)[axes - 1](padded, kernel, strides, dilation=attributes.get("dilations", 1))
        return (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[axes - 1](padded, kernel, strides)

    return rule


def _slice(given: list[Any], attributes: Attributes) -> Any:
    value = given[0]
    if len(given) > 1:
        starts, ends = _ints(given[1]), _ints(given[2])
        axes = _ints(given[3]) if len(given) > 3 and given[3] is not None else list(range(len(starts)))
        steps = _ints(given[4]) if len(given) > 4 and given[4] is not None else [1] * len(starts)
    else:
        starts, ends = list(attributes["starts"]), list(attributes["ends"])
        axes, steps = list(attributes.get("axes", range(len(starts)))), [1] * len(starts)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        if step < 0:
            places = range(value.shape[axis])[slice(start, end if end > -value.shape[axis] - 1 else None, step)]
            value = value.index_select(axis, torch.tensor(list(places), dtype=torch.long))
        else:
            value = value[(slice(None),) * (axis % value.dim()) + (slice(start, end, step),)]
    return value


def _split(given: list[Any], attributes: Attributes) -> Any:
    axis = attributes.get("axis", 0)
    if len(given) > 1 and given[1] is not None:
        return given[0].split(_ints(given[1]), axis)
    if "split" in attributes:
        return given[0].split(list(attributes["split"]), axis)
    return given[0].split(math.ceil(given[0].shape[axis] / attributes["outputs"]), axis)


def _reshape(given: list[Any], attributes: Attributes) -> Any:
    shape = _ints(given[1])
    if not attributes.get("allowzero"):
        shape = [given[0].shape[place] if size == 0 else size for place, size in enumerate(shape)]
    return given[0].reshape(shape)


def _expand(given: list[Any], _: Attributes) -> Any:
    return given[0].expand(torch.broadcast_shapes(given[0].shape, tuple(_ints(given[1]))))


def _squeeze(given: list[Any], attributes: Attributes) -> Any:
    axes = _axes(given, attributes)
    return given[0].squeeze() if axes is None else given[0].squeeze(tuple(axes))


def _unsqueeze(given: list[Any], attributes: Attributes) -> Any:
    axes = _axes(given, attributes) or []
    value = given[0]
    for axis in sorted(axis % (value.dim() + len(axes)) for axis in axes):
        value = value.unsqueeze(axis)
    return value


def _gather(given: list[Any], attributes: Attributes) -> Any:
    axis = attributes.get("axis", 0) % given[0].dim()
    places = given[1].long()
    places = torch.where(places < 0, places + given[0].shape[axis], places)
    found = given[0].index_select(axis, places.reshape(-1))
    return found.reshape(*given[0].shape[:axis], *places.shape, *given[0].shape[axis + 1 :])


def _gather_elements(given: list[Any], attributes: Attributes) -> Any:
    axis, places = attributes.get("axis", 0), given[1].long()
    return given[0].gather(axis, torch.where(places < 0, places + given[0].shape[axis], places))


def _padded_places(mode: str, size: int, low: int, high: int) -> torch.Tensor:
    """Which elements of an axis a padded one has."""
    places = torch.arange(-low, size + high)
    if mode == "edge":
        return places.clamp(0, size - 1)
    if mode == "wrap":
        return places.remainder(size)
    if mode == "reflect":
        period = max(1, 2 * (size - 1))
        return (size - 1) - (places.remainder(period) - (size - 1)).abs()
    raise InputError(
        f"Got Pad with mode={mode!r}. Needed: 'constant', 'edge', 'reflect' or 'wrap'. ONNX has no others. Export the model again."
    )


def _padded(given: list[Any], attributes: Attributes) -> Any:
    value = float(given[2]) if len(given) > 2 and given[2] is not None else 0.0
    widths = _ints(given[1])
    axes = _ints(given[3]) if len(given) > 3 and given[3] is not None else list(range(given[0].dim()))
    low, high = ({axis % given[0].dim(): width for axis, width in zip(axes, part)} for part in (widths[: len(axes)], widths[len(axes) :]))
    mode = attributes.get("mode", "constant")
    if mode != "constant":
        found = given[0]
        for axis in sorted({*low, *high}):
            found = found.index_select(axis, _padded_places(mode, found.shape[axis], low.get(axis, 0), high.get(axis, 0)))
        return found
    return F.pad(given[0], [side.get(axis, 0) for axis in reversed(range(given[0].dim())) for side in (low, high)], value=value)


def _remainder(given: list[Any], attributes: Attributes) -> Any:
    return torch.fmod(given[0], given[1]) if attributes.get("fmod") else torch.remainder(given[0], given[1])


def _instance_norm(given: list[Any], attributes: Attributes) -> Any:
    return F.instance_norm(given[0], weight=given[1], bias=given[2], eps=attributes.get("epsilon", 1e-5))


def _layer_norm(given: list[Any], attributes: Attributes) -> Any:
    axis = attributes.get("axis", -1) % given[0].dim()
    bias = given[2] if len(given) > 2 else None
    return F.layer_norm(given[0], given[0].shape[axis:], given[1], bias, attributes.get("epsilon", 1e-5))


def _batch_norm(given: list[Any], attributes: Attributes) -> Any:
    value, weight, bias, mean, variance = given[:5]
    return F.batch_norm(value, mean, variance, weight, bias, False, 0.0, attributes.get("epsilon", 1e-5))


def _clip(given: list[Any], attributes: Attributes) -> Any:
    low = given[1] if len(given) > 1 else attributes.get("min")
    high = given[2] if len(given) > 2 else attributes.get("max")
    return given[0].clamp(None if low is None else float(low), None if high is None else float(high))


def _softmax(function: Callable[..., Any]) -> Rule:
    def rule(given: list[Any], attributes: Attributes) -> Any:
        if attributes["opset"] >= 13:
            return function(given[0], dim=attributes.get("axis", -1))
        axis = attributes.get("axis", 1)
        return function(given[0].flatten(axis), dim=axis).reshape(given[0].shape)

    return rule


def _divided(given: list[Any], _: Attributes) -> Any:
    whole = not given[0].is_floating_point() and not given[1].is_floating_point()
    return torch.div(given[0], given[1], rounding_mode="trunc" if whole else None)


def _trilu(given: list[Any], attributes: Attributes) -> Any:
    diagonal = int(given[1]) if len(given) > 1 and given[1] is not None else 0
    return torch.triu(given[0], diagonal) if attributes.get("upper", 1) else torch.tril(given[0], diagonal)


def _transposed(given: list[Any], attributes: Attributes) -> Any:
    return given[0].permute(*attributes.get("perm", reversed(range(given[0].dim()))))


def _plain(function: Callable[..., Any]) -> Rule:
    return lambda given, attributes: function(*given)


def _folded(function: Callable[..., Any]) -> Rule:
    def rule(given: list[Any], _: Attributes) -> Any:
        found = given[0]
        for value in given[1:]:
            found = function(found, value)
        return found

    return rule


RULES: dict[str, Rule] = {
    **{name: _plain(getattr(torch, name.lower())) for name in ("Abs", "Ceil", "Floor", "Sqrt", "Exp", "Log", "Tanh", "Sigmoid", "Erf", "Neg")},
    **{name: _plain(getattr(torch, name.lower())) for name in ("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Sign", "Round", "Relu")},
    "Reciprocal": _plain(torch.reciprocal), "Softplus": _plain(F.softplus), "Softsign": _plain(F.softsign),
    "Add": _plain(torch.add), "Sub": _plain(torch.sub), "Mul": _plain(torch.mul), "Div": _divided,
    "Pow": _plain(torch.pow), "MatMul": _plain(torch.matmul), "Gemm": _gemm, "Conv": _conv,
    "Max": _folded(torch.maximum), "Min": _folded(torch.minimum), "Sum": _folded(torch.add),
    "Equal": _plain(torch.eq), "Less": _plain(torch.lt), "LessOrEqual": _plain(torch.le), "Greater": _plain(torch.gt),
    "GreaterOrEqual": _plain(torch.ge), "And": _plain(torch.logical_and), "Or": _plain(torch.logical_or), "Not": _plain(torch.logical_not),
    "Where": _plain(torch.where), "IsNaN": _plain(torch.isnan),
    "Softmax": _softmax(torch.softmax), "LogSoftmax": _softmax(torch.log_softmax),
    "Gelu": lambda given, attributes: F.gelu(given[0], approximate=attributes.get("approximate", "none")),
    "LeakyRelu": lambda given, attributes: F.leaky_relu(given[0], attributes.get("alpha", 0.01)),
    "Elu": lambda given, attributes: F.elu(given[0], attributes.get("alpha", 1.0)),
    "HardSigmoid": lambda given, attributes: (attributes.get("alpha", 0.2) * given[0] + attributes.get("beta", 0.5)).clamp(0.0, 1.0),
    "HardSwish": _plain(F.hardswish),
    "PRelu": lambda given, attributes: torch.where(given[0] >= 0, given[0], given[0] * given[1]),
    "Clip": _clip, "LayerNormalization": _layer_norm, "BatchNormalization": _batch_norm,
    "ReduceSum": _reduced(lambda value, axes, keep: value.sum(axes, keepdim=keep) if axes else value),
    "ReduceMean": _reduced(lambda value, axes, keep: value.mean(axes, keepdim=keep) if axes else value),
    "ReduceMax": _extreme(torch.amax), "ReduceMin": _extreme(torch.amin),
    "ReduceL2": _reduced(lambda value, axes, keep: torch.linalg.vector_norm(value, dim=axes, keepdim=keep)),
    "GlobalAveragePool": lambda given, attributes: given[0].mean(list(range(2, given[0].dim())), keepdim=True),
    "GlobalMaxPool": lambda given, attributes: given[0].amax(list(range(2, given[0].dim())), keepdim=True),
    "MaxPool": _pool("max"), "AveragePool": _pool("avg"),
    "Reshape": _reshape, "Expand": _expand, "Squeeze": _squeeze, "Unsqueeze": _unsqueeze, "Gather": _gather, "Slice": _slice, "Split": _split,
    "Concat": lambda given, attributes: torch.cat(given, attributes["axis"]),
    "Transpose": _transposed, "Flatten": lambda given, attributes: given[0].reshape(math.prod(given[0].shape[: attributes.get("axis", 1)]), -1),
    "Shape": lambda given, attributes: torch.tensor(given[0].shape)[attributes.get("start", 0) : attributes.get("end")],
    "Size": lambda given, attributes: torch.tensor(given[0].numel()),
    "ConstantOfShape": lambda given, attributes: attributes["value"].expand(_ints(given[0])).clone(),
    "Range": lambda given, attributes: torch.arange(*(item.item() for item in given), dtype=given[0].dtype),
    "Identity": lambda given, attributes: given[0], "Dropout": lambda given, attributes: given[0], "Cast": _cast,
    "Trilu": _trilu,
    "Tile": lambda given, attributes: given[0].repeat(*_ints(given[1])),
    "ArgMax": lambda given, attributes: given[0].argmax(attributes.get("axis", 0), keepdim=bool(attributes.get("keepdims", 1))),
    "ArgMin": lambda given, attributes: given[0].argmin(attributes.get("axis", 0), keepdim=bool(attributes.get("keepdims", 1))),
    "CumSum": lambda given, attributes: given[0].cumsum(int(given[1])),
    "Mean": lambda given, attributes: _folded(torch.add)(given, attributes) / len(given),
    "Xor": _plain(torch.logical_xor), "IsInf": _plain(torch.isinf), "Mod": _remainder, "Pad": _padded,
    "Mish": _plain(F.mish), "Selu": _plain(F.selu), "Celu": lambda given, attributes: F.celu(given[0], attributes.get("alpha", 1.0)),
    "ReduceL1": _reduced(lambda value, axes, keep: value.abs().sum(axes, keepdim=keep)),
    "ReduceSumSquare": _reduced(lambda value, axes, keep: value.square().sum(axes, keepdim=keep)),
    "ReduceLogSumExp": _reduced(lambda value, axes, keep: torch.logsumexp(value, axes, keepdim=keep)),
    "GatherElements": _gather_elements, "InstanceNormalization": _instance_norm,
    "Einsum": lambda given, attributes: torch.einsum(attributes["equation"], *given),
}  # fmt: skip
"""Op -> how PyTorch computes it, from its inputs and attributes."""
