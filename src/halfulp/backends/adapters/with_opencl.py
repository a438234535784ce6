"""OpenCL by PyOpenCL, on any driver: PoCL makes the processor a device whose fused multiply-add can be switched."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...errors import Unsupported
from ...words.numbers import counted
from ..adapter import Adapter
from ..arrays import as_numpy, as_tensor
from ..interface import Option
from ..ops import OPS, OpModule
from ..program import Program, Tensors

Array = np.ndarray[Any, Any]


class OpenCl(Adapter):
    """Kernels of our own (`kernels/ops.cl`), each sum one chain."""

    name = "opencl"
    title = "OpenCL"
    packages = {"pyopencl": "pyopencl"}
    extra = "opencl"
    dtypes = ("float32", "float64")
    options = (
        Option("contract", ("on", "off"), "FMA", frozenset(("products", "convolutions", "normalizations")), {
            "on": "#pragma OPENCL FP_CONTRACT ON", "off": "#pragma OPENCL FP_CONTRACT OFF",
        }),
        Option("subnormals", ("kept", "flushed"), "subnormals flushed", frozenset(("subnormal numbers",)), {
            "kept": 'program.build([])', "flushed": 'program.build(["-cl-denorms-are-zero"])',
        }),
    )  # fmt: skip

    def unusable(self) -> str:
        """Whether a driver is there."""
        try:
            _device()
        except Exception as error:
            return f"no OpenCL driver ({(str(error).splitlines() or [type(error).__name__])[0][:100]}); Debian's pocl-opencl-icd has one"
        return ""

    def fingerprint(self) -> dict[str, str]:
        """Version, driver and device."""
        device = _device()
        platform = device.platform
        return {**super().fingerprint(), "platform": f"{platform.name} {platform.version}", "device": str(device.name).strip()}

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        if not isinstance(target, OpModule):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names). This backend has kernels for these only. Pass one, or call your own kernels in a plain function: halfulp.check takes it as it is."
            )
        make = LAUNCHES.get(target.op_name)
        if make is None:
            lacking = ", ".join(name for name in OPS if name not in LAUNCHES)
            raise Unsupported(
                f"Got the op {target.op_name} for {self.name}. Needed: one with a kernel. Ops without one: {lacking}. Leave it out."
            )
        weights, attributes = [as_numpy(weight.detach()) for weight in target.weights], target.attributes
        floating = next(
            tensor for tensor in (*arguments, *target.weights) if isinstance(tensor, torch.Tensor) and tensor.is_floating_point()
        )
        device = _Launcher(str(floating.dtype).removeprefix("torch."), options)

        def run(tensors: Tensors) -> Tensors:
            return [as_tensor(make(device, [as_numpy(tensor) for tensor in tensors], weights, attributes))]

        return Program(run)


@cache
def _device() -> Any:
    found = [device for platform in import_module("pyopencl").get_platforms() for device in platform.get_devices()]
    if not found:
        raise RuntimeError("no device")
    return found[0]


@cache
def _queue() -> Any:
    cl = import_module("pyopencl")
    return cl.CommandQueue(cl.Context([_device()]))


@cache
def _program(dtype: str, contract: str, subnormals: str) -> Any:
    cl = import_module("pyopencl")
    source = (Path(__file__).with_name("kernels") / "ops.cl").read_text(encoding="utf-8")
    flags = ["-DREAL=double", "-DWIDE"] if dtype == "float64" else ["-DREAL=float"]
    switches = ["-DFUSED"] * (contract == "on") + ["-cl-denorms-are-zero"] * (subnormals == "flushed")
    return cl.Program(_queue().context, source).build(flags + switches)


class _Launcher:
    """Runs kernels of one dtype with some options."""

    def __init__(self, dtype: str, options: Mapping[str, str]) -> None:
        self.dtype = np.dtype(dtype)
        self._program = _program(dtype, options["contract"], options["subnormals"])

    def run(self, kernel: str, places: tuple[int, ...], shape: tuple[int, ...], arrays: tuple[Array, ...], *numbers: Any) -> Array:
        """One kernel: arrays, the result, then numbers are its arguments. Groups of one: PoCL compiles anew for each other size."""
        cl = import_module("pyopencl")
        queue, flags = _queue(), cl.mem_flags
        buffers = [cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(array)) for array in arrays]
        result = np.empty(shape, self.dtype)
        if not result.size:
            return result
        written = cl.Buffer(queue.context, flags.WRITE_ONLY, result.nbytes)
        sized = [self.dtype.type(number) if isinstance(number, float) else np.int32(number) for number in numbers]
        cl.Kernel(self._program, kernel)(queue, places, (1,) * len(places), *buffers, written, *sized)
        cl.enqueue_copy(queue, result, written).wait()
        return result


def _product(device: _Launcher, left: Array, right: Array, bias: Array | None = None, *, turned: bool = False) -> Array:
    inner, rows, columns = left.shape[-1], left.shape[-2], right.shape[-2 if turned else -1]
    if right.shape[-1 if turned else -2] != inner:
        raise Unsupported(
            f"Got {left.shape} and {right.shape} to multiply. Needed: the same inner dimension. A product sums over that dimension. Fix the shapes."
        )
    count = math.prod(left.shape[:-2])
    none = np.zeros(1, device.dtype)
    arrays = (left, right, none if bias is None else bias)
    return device.run(
        "product", (columns, rows, count), (*left.shape[:-1], columns), arrays, rows, columns, inner, turned, bias is not None
    )


def _convolution(device: _Launcher, inputs: list[Array], weights: list[Array], attributes: Mapping[str, Any]) -> Array:
    x, (weight, bias) = inputs[0], weights
    stride, padding = attributes.get("stride", 1), attributes.get("padding", 0)
    flat = x.ndim == 3
    if flat:
        x, weight = x[:, :, None], weight[:, :, None]
    if x.shape[1] != weight.shape[1]:
        raise Unsupported(
            f"Got {counted(x.shape[1], 'channel')} for weights with {weight.shape[1]}. Needed: the same number in both. Fix the shapes."
        )
    strides, pads = (1 if flat else stride, stride), (0 if flat else padding, padding)
    sizes = tuple((size + 2 * pad - width) // step + 1 for size, width, step, pad in zip(x.shape[2:], weight.shape[2:], strides, pads))
    y = device.run(
        "convolution", (math.prod(sizes), len(bias), len(x)), (len(x), len(bias), *sizes), (x, weight, bias), x.shape[1], *x.shape[2:],
        len(bias), *weight.shape[2:], *sizes, *strides, *pads,
    )  # fmt: skip
    return y[:, :, 0] if flat else y


def _attention(device: _Launcher, inputs: list[Array], _w: Any, _a: Any) -> Array:
    query, key, value = inputs
    scores = _product(device, query * query.dtype.type(1.0 / math.sqrt(query.shape[-1])), key, turned=True)
    return _product(device, _softmax(device, scores, logarithm=False), value)


def _softmax(device: _Launcher, x: Array, *, logarithm: bool) -> Array:
    return device.run("softmax", (x.size // x.shape[-1],), x.shape, (x,), x.shape[-1], logarithm)


def _normalization(device: _Launcher, inputs: list[Array], weights: list[Array], attributes: Mapping[str, Any]) -> Array:
    x, groups = inputs[0], attributes.get("groups", 0)
    length = math.prod(x.shape[1:]) // groups if groups else x.shape[-1]
    run = math.prod(x.shape[2:]) if groups else 1  # how many numbers share one weight
    if not groups and length != len(weights[0]):
        raise Unsupported(
            f"Got rows of length {length} for {counted(len(weights[0]), 'weight')}. Needed: one weight for each element of a row. Fix the shapes."
        )
    bias = weights[1] if len(weights) > 1 else weights[0]
    arrays = (x, weights[0], bias)
    return device.run(
        "normalization", (x.size // length,), x.shape, arrays, length, float(attributes["layer_eps"]), len(weights) > 1, groups or 1, run
    )


def _batch_norm(device: _Launcher, inputs: list[Array], weights: list[Array], attributes: Mapping[str, Any]) -> Array:
    x = inputs[0]
    return device.run("batch_norm", (x.size,), x.shape, (x, *weights), x.shape[1], math.prod(x.shape[2:]), float(attributes["layer_eps"]))


def _pooling(*, largest: bool) -> Callable[..., Array]:
    def make(device: _Launcher, inputs: list[Array], _: Any, attributes: Mapping[str, Any]) -> Array:
        x, window, stride = inputs[0], attributes["window"], attributes["stride"]
        sizes = tuple((size - window) // stride + 1 for size in x.shape[2:])
        return device.run(
            "pool", (math.prod(sizes), x.shape[0] * x.shape[1]), (*x.shape[:2], *sizes), (x,), *x.shape[2:], window, *sizes, stride, largest
        )

    return make


def _reduction(kind: int) -> Callable[..., Array]:
    def make(device: _Launcher, inputs: list[Array], _w: Any, _a: Any) -> Array:
        x = inputs[0]
        return device.run("reduction", (x.size // x.shape[-1],), x.shape if kind == 3 else x.shape[:-1], (x,), x.shape[-1], kind)

    return make


def _of_each(kernel: str) -> Callable[..., Array]:
    return lambda device, inputs, _w, _a: device.run(kernel, (inputs[0].size,), inputs[0].shape, (inputs[0],))


def _embedding(device: _Launcher, inputs: list[Array], weights: list[Array], _: Any) -> Array:
    indices, table = inputs[0], weights[0]
    shape = (*indices.shape, table.shape[1])
    return device.run("rows", (math.prod(shape),), shape, (table, indices), table.shape[1])


def _gather(device: _Launcher, inputs: list[Array], _w: Any, _a: Any) -> Array:
    x, indices = inputs
    return device.run("gather", (indices.size,), indices.shape, (x, indices), x.shape[-1], indices.shape[-1])


LAUNCHES: dict[str, Callable[..., Array]] = {
    "linear": lambda device, inputs, weights, _: _product(device, inputs[0], weights[0], weights[1], turned=True),
    "matmul": lambda device, inputs, _w, _a: _product(device, *inputs), "bmm": lambda device, inputs, _w, _a: _product(device, *inputs),
    "conv1d": _convolution, "conv2d": _convolution, "attention": _attention,
    "softmax": lambda device, inputs, _w, _a: _softmax(device, inputs[0], logarithm=False),
    "log_softmax": lambda device, inputs, _w, _a: _softmax(device, inputs[0], logarithm=True),
    "layer_norm": _normalization, "rms_norm": _normalization, "group_norm": _normalization, "batch_norm": _batch_norm,
    **{name: _of_each(f"f_{name}") for name, op in OPS.items() if op.kind == "function"},
    "sum": _reduction(0), "mean": _reduction(1), "var": _reduction(2), "cumsum": _reduction(3), "max_pool2d": _pooling(largest=True),
    "avg_pool2d": _pooling(largest=False), "embedding": _embedding, "gather": _gather,
}  # fmt: skip
