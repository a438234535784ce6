"""ONNX models: inputs from the signature, and the graph in PyTorch as what engines are compared with."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from ..errors import InputError, MissingBackend, install_command
from .drawn_inputs import Drawing, Inputs
from .onnx_module import OnnxModule

_SIZES = (
    (re.compile(r"batch|^n$|^b$", re.IGNORECASE), 2),
    (re.compile(r"height|width|^h$|^w$", re.IGNORECASE), 32),
    (re.compile(r"seq|len|time|token|pos", re.IGNORECASE), 8),
)
"""What a symbolic axis is set to, by its name: small, and none of them 1."""
OTHER_SIZE = 4
FLAGS = re.compile(r"mask|type|segment", re.IGNORECASE)
"""Names of whole numbers that are 0 or 1."""
FEWEST = 2
"""Whole numbers are drawn below this where the graph does not say which index what."""


@dataclass(frozen=True)
class OnnxFile:
    """A model.

    Attributes:
        path: the file. module: the graph in PyTorch; a NumPy evaluator where it has ops that this does not know. drawing: its inputs.
        note: what was found out about it, in words.
    """

    path: Path
    module: Callable[..., Any]
    drawing: Drawing
    note: str = ""


def read_onnx(path: Path) -> OnnxFile:
    """The model of a file.

    Raises:
        InputError: the file is missing, or no ONNX model. MissingBackend: the package onnx is not here.
    """
    if not path.is_file():
        raise InputError(f"Got {path}, which is not a file. Needed: an ONNX model. There is nothing to run. Check the path.")
    try:
        onnx = import_module("onnx")
    except ModuleNotFoundError:
        raise MissingBackend(
            f"Got {path}, and the package onnx is not installed. Needed: that package, which reads the model. Nothing "
            f"was run. Install it with {install_command('onnxruntime')}."
        ) from None
    try:
        proto = onnx.load(str(path))
        onnx.checker.check_model(proto)
    except Exception as error:  # protobuf, the checker and the loader of external data each have their own
        said = " ".join(str(error).split())[:200]
        raise InputError(
            f"Got {path}, which can't be read as an ONNX model ({type(error).__name__}: {said}). Needed: a complete, valid one. Nothing was run. Export it again."
        ) from error
    module = OnnxModule(proto)
    if not module.unknown:
        return OnnxFile(path, module, drawing_of_graph(proto))
    evaluator = _evaluator(proto)
    note = f"halfulp doesn't run {', '.join(module.unknown)} in PyTorch, so the graph is run by the onnx package's NumPy evaluator instead"
    return OnnxFile(path, evaluator, drawing_of_graph(proto), note)


def _evaluator(proto: Any) -> Callable[..., Any]:
    """Onnx's own evaluator, in NumPy, on tensors."""
    session = import_module("onnx.reference").ReferenceEvaluator(proto)
    names = [item.name for item in graph_inputs(proto)]

    def reference(*values: torch.Tensor) -> Any:
        found = session.run(None, {name: value.detach().cpu().numpy() for name, value in zip(names, values)})
        tensors = [torch.as_tensor(item) for item in found]
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    reference.__name__ = "onnx's evaluator"
    return reference


def graph_inputs(proto: Any) -> list[Any]:
    """The inputs that a caller gives: initializers are listed among them in old files."""
    held = {item.name for item in proto.graph.initializer}
    return [item for item in proto.graph.input if item.name not in held]


def drawing_of_graph(proto: Any) -> Drawing:
    """Inputs drawn by the signature of a graph: shapes with symbolic axes set to small sizes, whole numbers that can index what they index."""
    helper = import_module("onnx.helper")
    specs: list[tuple[str, torch.dtype, tuple[int, ...], int]] = []
    for item in graph_inputs(proto):
        kind = item.type.tensor_type
        if not item.type.HasField("tensor_type"):
            raise InputError(
                f"Got an ONNX model whose input {item.name} is not a tensor. Needed: tensors. halfulp can't generate random inputs of any other type. Check a part of the model that takes only tensors."
            )
        dtype = torch.from_numpy(_empty(helper, kind.elem_type)).dtype
        shape = tuple(axis.dim_value if axis.HasField("dim_value") else _size_of(axis.dim_param) for axis in kind.shape.dim)
        specs.append((item.name, dtype, shape, 2 if FLAGS.search(item.name) else _indexed(proto, item.name)))
    names = tuple(re.sub(r"\W", "_", name) for name, *_ in specs)

    def draw(seed: int, _: int) -> Inputs:
        generator = torch.Generator().manual_seed(seed)
        return Inputs(tuple(_drawn(generator, dtype, shape, below) for _, dtype, shape, below in specs), names)

    return Drawing(names, draw)


def _empty(helper: Any, elem_type: int) -> Any:
    import numpy as np

    return np.zeros(0, helper.tensor_dtype_to_np_dtype(elem_type))


def _size_of(name: str) -> int:
    return next((size for words, size in _SIZES if words.search(name)), OTHER_SIZE)


def _indexed(proto: Any, name: str) -> int:
    """How many rows the smallest table has that an input picks from."""
    shapes = {item.name: tuple(item.dims) for item in proto.graph.initializer}
    same = {name}
    rows: list[int] = []
    for node in proto.graph.node:
        if node.op_type in ("Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape") and node.input[0] in same:
            same.add(node.output[0])
        if node.op_type == "Gather" and node.input[1] in same and node.input[0] in shapes:
            axis = next((item.i for item in node.attribute if item.name == "axis"), 0)
            rows.append(shapes[node.input[0]][axis])
    return max(FEWEST, min(rows)) if rows else FEWEST


def _drawn(generator: torch.Generator, dtype: torch.dtype, shape: tuple[int, ...], below: int) -> torch.Tensor:
    if dtype == torch.bool:
        return torch.randint(2, shape, generator=generator).bool()
    if not dtype.is_floating_point:
        return torch.ones(shape, dtype=dtype) if below == 2 and shape else torch.randint(below, shape, generator=generator).to(dtype)
    return torch.randn(shape, generator=generator, dtype=torch.float32).to(dtype)
