"""ncnn: small networks of one layer for ops of the table, and networks from their own files (NAME.param beside NAME.bin)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...errors import InputError, Unsupported
from ...recording.transcript import Transcribed
from ...words.numbers import counted
from ..adapter import Adapter
from ..arrays import as_numpy, as_tensor
from ..interface import Option
from ..ops import OPS, OpModule
from ..program import Program, Tensors, Watched

Array = np.ndarray[Any, Any]

LOWERED = ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage")
"""What ncnn may store and compute in less than float32 by; the first three are on by default."""


class Ncnn(Adapter):
    """ncnn on the processor. By default it stores the weights of some layers in float16."""

    name = "ncnn"
    title = "ncnn"
    packages = {"ncnn": "ncnn"}
    extra = "ncnn"
    options = (
        Option("precision", ("default", "float32"), "inference precision", frozenset(("everything",)), {
            "default": "ncnn.Option() as it is", "float32": "net.opt." + " = net.opt.".join(LOWERED) + " = False",
        }),
        Option("winograd", ("on", "off"), "Winograd convolution", frozenset(("convolutions",)), {
            "on": "net.opt.use_winograd_convolution = True", "off": "net.opt.use_winograd_convolution = False",
        }),
    )  # fmt: skip

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        if isinstance(target, (str, Path)):
            return _of_file(Path(target), options)
        if not isinstance(target, OpModule):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names), or the path of a .param file with its .bin beside it. "
                "PNNX converts modules to these: pnnx model.pt. Convert the model, and pass the file."
            )
        with torch.no_grad():
            target(*arguments)  # ncnn computes something of any shapes; PyTorch says whether they fit
        make = LAYERS.get(target.op_name)
        if make is None:
            lacking = ", ".join(name for name in OPS if name not in LAYERS)
            raise Unsupported(
                f"Got the op {target.op_name} for {self.name}. Needed: an op that this backend implements. Not implemented: {lacking}. Leave it out."
            )
        layer = make(
            [as_numpy(weight.detach()) for weight in target.weights], target.attributes, [tuple(argument.shape) for argument in arguments]
        )
        with tempfile.TemporaryDirectory(prefix="halfulp-") as folder:
            file = Path(folder) / "op.param"
            file.write_text(layer.text(len(arguments)), encoding="utf-8")
            file.with_suffix(".bin").write_bytes(layer.content)
            net = _loaded(file, options)
        names = [f"x{place}" for place in range(len(arguments))]

        def run(tensors: Tensors) -> Tensors:
            arrays = [as_numpy(tensor) for tensor in tensors]
            if not layer.batched:
                return [as_tensor(layer.shaped(_extracted(net, dict(zip(names, arrays)), "y")))]
            found = [_extracted(net, {name: array[place] for name, array in zip(names, arrays)}, "y") for place in range(len(arrays[0]))]
            return [as_tensor(layer.shaped(np.stack(found)))]

        return Program(run)


def _loaded(file: Path, options: Mapping[str, str]) -> Any:
    ncnn = import_module("ncnn")
    net = ncnn.Net()
    if options["precision"] == "float32":
        for name in LOWERED:
            if hasattr(net.opt, name):
                setattr(net.opt, name, False)
    net.opt.use_winograd_convolution = options["winograd"] == "on"
    if net.load_param(str(file)) or net.load_model(str(file.with_suffix(".bin"))):
        raise Unsupported(
            f"Got {file.name}, which ncnn can't load. Needed: a network that ncnn accepts. Its error message is above. Convert it again."
        )
    return net


def _extracted(net: Any, inputs: Mapping[str, Array], output: str) -> Array:
    ncnn = import_module("ncnn")
    extractor = net.create_extractor()
    for name, array in inputs.items():
        # A copy: layers may work in place, and ncnn aligns its own memory. Its indices are of 32 bits.
        extractor.input(name, ncnn.Mat(np.ascontiguousarray(array, np.int32 if array.dtype.kind == "i" else np.float32)).clone())
    failed, found = extractor.extract(output)
    if failed:
        raise Unsupported(
            f"Got the return code {failed} from ncnn while computing {output}. Needed: 0. The network does not accept these inputs. Check their shapes."
        )
    return np.array(found)


def _of_file(file: Path, options: Mapping[str, str]) -> Program:
    if not file.is_file() or not file.with_suffix(".bin").is_file():
        raise InputError(
            f"Got {file}. Needed: a .param file of ncnn with its .bin beside it. At least one of them is missing. Check the path."
        )
    net = _loaded(file, options)
    inputs, outputs = list(net.input_names()), list(net.output_names())

    def given(tensors: Tensors) -> dict[str, Array]:
        if len(tensors) != len(inputs):
            raise InputError(
                f"Got {counted(len(tensors), 'array')}. Needed: {len(inputs)}, for {', '.join(inputs)}. Each input takes one. Pass them in order."
            )
        return {name: _without_batch(as_numpy(tensor)) for name, tensor in zip(inputs, tensors)}

    def run(tensors: Tensors) -> Tensors:
        arrays = given(tensors)
        return [as_tensor(_extracted(net, arrays, output)) for output in outputs]

    def watch(tensors: Tensors) -> Watched:
        arrays, values, places = given(tensors), [], {}
        for line in file.read_text(encoding="utf-8").splitlines()[2:]:
            kind, name, ins, outs, *rest = line.split()
            blobs = rest[: int(ins) + int(outs)]
            for blob in blobs[int(ins) :]:
                if kind == "Input":
                    continue
                known = tuple(places[word] for word in blobs[: int(ins)] if word in places)
                values.append(Transcribed(as_tensor(_extracted(net, arrays, blob)), kind, name, f"{file.name}: {name}", inputs=known))
                places[blob] = len(values) - 1
        return Watched(values, run(tensors), notes=("every value is computed in a separate run",))

    return Program(run, watch=watch)


def _without_batch(array: Array) -> Array:
    """Ncnn has no batches: a leading axis of one is left out of what has as many axes as images with one."""
    if array.ndim == 4 and len(array) > 1:
        raise Unsupported(
            f"Got a batch of {len(array)} for ncnn. Needed: a batch of 1. Its networks take one sample at a time. Pass the samples one by one."
        )
    return array[0] if array.ndim == 4 else array


@dataclass(frozen=True)
class _Layer:
    """A layer as ncnn writes it: its kind, its parameters by number, its weights; batched: whether it takes one sample at a time."""

    kind: str
    parameters: Mapping[int, Any]
    content: bytes = b""
    batched: bool = False
    shaped: Callable[[Array], Array] = np.asarray

    def text(self, inputs: int) -> str:
        """The network of this layer alone."""
        given = " ".join(f"x{place}" for place in range(inputs))
        lines = [f"Input in{place} 0 1 x{place}" for place in range(inputs)]
        words = " ".join(f"{number}={value}" for number, value in self.parameters.items())
        return "\n".join(["7767517", f"{inputs + 1} {inputs + 1}", *lines, f"{self.kind} op {inputs} 1 {given} y {words}", ""])


_PLAIN = b"\0\0\0\0"
"""Before weights that layers may store otherwise: these are float32."""


def _bytes(*arrays: Array) -> bytes:
    return b"".join(np.ascontiguousarray(array, np.float32).tobytes() for array in arrays)


def _linear(weights: Any, _a: Any, _s: Any) -> _Layer:
    weight, bias = weights
    return _Layer("InnerProduct", {0: len(weight), 1: 1, 2: weight.size}, _PLAIN + _bytes(weight, bias))


def _convolution(kind: str, *, turned: bool = False) -> Callable[..., _Layer]:
    # Parameters of the last axis, the one before, the one before that: kernel, stride, padding.
    places = {"kernel": (1, 11, 21), "stride": (3, 13, 23), "padding": (4, 14, 24)}

    def make(weights: Any, attributes: Any, _shapes: Any) -> _Layer:
        weight, bias = weights
        if turned:
            weight = np.swapaxes(weight, 0, 1)
        values = {"kernel": weight.shape[:1:-1], "stride": attributes.get("stride", 1), "padding": attributes.get("padding", 0)}
        parameters: dict[int, Any] = {0: len(weight), 5: 1, 6: weight.size}
        for axis in range(weight.ndim - 2):
            for name, value in values.items():
                parameters[places[name][axis]] = value[axis] if name == "kernel" else value
        return _Layer(kind, parameters, _PLAIN + _bytes(weight, bias), batched=True)

    return make


def _plain(kind: str, **parameters: Any) -> Callable[..., _Layer]:
    numbered = {int(name.removeprefix("p")): value for name, value in parameters.items()}
    return lambda _w, _a, _s: _Layer(kind, numbered)


def _layer_norm(weights: Any, attributes: Any, _s: Any) -> _Layer:
    kind = "LayerNorm" if len(weights) == 2 else "RMSNorm"
    return _Layer(kind, {0: len(weights[0]), 1: f"{attributes['layer_eps']:e}", 2: 1}, _bytes(*weights))


def _batch_norm(weights: Any, attributes: Any, _s: Any) -> _Layer:
    mean, variance, weight, bias = weights
    content = _bytes(weight, mean, variance, bias)
    return _Layer("BatchNorm", {0: len(mean), 1: f"{attributes['layer_eps']:e}"}, content, batched=True)


def _group_norm(weights: Any, attributes: Any, _s: Any) -> _Layer:
    parameters = {0: attributes["groups"], 1: len(weights[0]), 2: f"{attributes['layer_eps']:e}", 3: 1}
    return _Layer("GroupNorm", parameters, _bytes(*weights), batched=True)


def _reduction(operation: int) -> Callable[..., _Layer]:
    def make(_w: Any, _a: Any, shapes: Any) -> _Layer:
        parameters = {0: operation, 1: 0, -23303: "1,1", 4: 0, 5: 1}
        return _Layer("Reduction", parameters, shaped=lambda array: array.reshape(shapes[0][:-1]))

    return make


def _pooling(kind: int) -> Callable[..., _Layer]:
    return lambda _w, attributes, _s: _Layer("Pooling", {0: kind, 1: attributes["window"], 2: attributes["stride"], 5: 1}, batched=True)


def _interpolate(_w: Any, attributes: Any, _s: Any) -> _Layer:
    height, width = attributes["size"]
    return _Layer("Interp", {0: 2, 3: height, 4: width}, batched=True)


def _embedding(weights: Any, _a: Any, shapes: Any) -> _Layer:
    (weight,) = weights
    return _Layer(
        "Embed", {0: weight.shape[1], 1: len(weight), 2: 0, 3: weight.size}, _PLAIN + _bytes(weight), batched=True,
        shaped=lambda array: array.reshape(*shapes[0], weight.shape[1]),
    )  # fmt: skip


LAYERS: dict[str, Callable[..., _Layer]] = {
    "linear": _linear, "matmul": _plain("MatMul", p0=0), "bmm": _plain("MatMul", p0=0), "conv1d": _convolution("Convolution1D"),
    "conv2d": _convolution("Convolution"), "conv3d": _convolution("Convolution3D"),
    "conv_transpose1d": _convolution("Deconvolution1D", turned=True), "conv_transpose2d": _convolution("Deconvolution", turned=True),
    "softmax": _plain("Softmax", p0=1, p1=1), "layer_norm": _layer_norm, "rms_norm": _layer_norm, "batch_norm": _batch_norm,
    "group_norm": _group_norm, "relu": _plain("ReLU"), "gelu": _plain("GELU", p0=0), "gelu_tanh": _plain("GELU", p0=1),
    "silu": _plain("Swish"), "sigmoid": _plain("Sigmoid"), "tanh": _plain("TanH"), "exp": _plain("UnaryOp", p0=7),
    "log": _plain("UnaryOp", p0=8), "sqrt": _plain("UnaryOp", p0=5), "rsqrt": _plain("UnaryOp", p0=6), "sum": _reduction(0),
    "mean": _reduction(3), "cumsum": _plain("CumulativeSum", p0=1), "max_pool2d": _pooling(0), "avg_pool2d": _pooling(1),
    "interpolate": _interpolate, "embedding": _embedding,
}  # fmt: skip
