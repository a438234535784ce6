"""Model: a file of LiteRT that is being written, with the schema that comes with it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


class Model:
    """A model that is being written. Its tensors are known by their number; `shapes` has the shape of each."""

    def __init__(self) -> None:
        self._schema = import_module("ai_edge_litert.schema_py_generated")
        self._buffers = [self._schema.BufferT()]
        self._tensors: list[Any] = []
        self._ops: list[Any] = []
        self._codes: dict[tuple[int, int], int] = {}
        self._inputs: list[int] = []
        self.shapes: list[tuple[int, ...]] = []

    def tensor(self, shape: tuple[int, ...], dtype: str = "float32", data: Any = None) -> int:
        """A new tensor; with data, one that the file holds."""
        found = self._schema.TensorT()
        found.shape, found.hasRank = np.array(shape, np.int32), True
        found.type, found.name = getattr(self._schema.TensorType, dtype.upper()), f"t{len(self._tensors)}".encode()
        found.buffer = 0
        if data is not None:
            buffer = self._schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            self._buffers.append(buffer)
            found.buffer = len(self._buffers) - 1
        self._tensors.append(found)
        self.shapes.append(tuple(shape))
        return len(self._tensors) - 1

    def input(self, shape: tuple[int, ...], dtype: str) -> int:
        """A new input of the model."""
        self._inputs.append(self.tensor(shape, dtype))
        return self._inputs[-1]

    def constant(self, array: Any, dtype: Any = np.float32) -> int:
        """Numbers that the file holds."""
        values = np.asarray(array, dtype)
        return self.tensor(values.shape, values.dtype.name, values)

    def op(self, code: str, inputs: tuple[int, ...], shape: tuple[int, ...], options: str = "", version: int = 1, **fields: Any) -> int:
        """Add an op; the tensor that it makes."""
        key = getattr(self._schema.BuiltinOperator, code), version
        made = self._schema.OperatorT()
        made.opcodeIndex = self._codes.setdefault(key, len(self._codes))
        result = self.tensor(shape)
        made.inputs, made.outputs = np.array(inputs, np.int32), np.array([result], np.int32)
        if options:
            chosen = getattr(self._schema, f"{options}OptionsT")()
            for name, value in fields.items():
                setattr(chosen, name, value)
            made.builtinOptions, made.builtinOptionsType = chosen, getattr(self._schema.BuiltinOptions, f"{options}Options")
        self._ops.append(made)
        return result

    def bytes(self, *outputs: int) -> bytes:
        """The finished file."""
        model = self._schema.ModelT()
        model.version, model.description, model.buffers, model.operatorCodes = 3, b"halfulp", self._buffers, []
        for code, version in self._codes:
            entry = self._schema.OperatorCodeT()
            entry.builtinCode, entry.deprecatedBuiltinCode, entry.version = code, min(code, 127), version
            model.operatorCodes.append(entry)
        graph = self._schema.SubGraphT()
        graph.tensors, graph.operators, graph.name = self._tensors, self._ops, b"main"
        graph.inputs, graph.outputs = np.array(self._inputs, np.int32), np.array(outputs, np.int32)
        model.subgraphs = [graph]
        builder = import_module("flatbuffers").Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    # Compositions

    def binary(self, kind: str, left: int, right: int) -> int:
        """An op of two tensors, with broadcasting: "Add", "Mul", "Sub", "Div", "SquaredDifference" ..."""
        shape = np.broadcast_shapes(self.shapes[left], self.shapes[right])
        return self.op(kind.upper() if kind != "SquaredDifference" else "SQUARED_DIFFERENCE", (left, right), shape, kind)

    def transposed(self, x: int, axes: tuple[int, ...]) -> int:
        """The axes in another order."""
        shape = tuple(self.shapes[x][axis] for axis in axes)
        return self.op("TRANSPOSE", (x, self.constant(axes, np.int32)), shape, "Transpose")

    def reduced(self, code: str, x: int, axes: tuple[int, ...], *, keep: bool) -> int:
        """A sum, mean or maximum over axes."""
        rank = len(self.shapes[x])
        gone = {axis % rank for axis in axes}
        shape = tuple(1 if axis in gone else size for axis, size in enumerate(self.shapes[x]) if keep or axis not in gone)
        return self.op(code, (x, self.constant(sorted(gone), np.int32)), shape, "Reducer", keepDims=keep)

    def reshaped(self, x: int, shape: tuple[int, ...]) -> int:
        """The same numbers in another shape."""
        return self.op("RESHAPE", (x, self.constant(shape, np.int32)), shape, "Reshape", newShape=np.array(shape, np.int32))

    def padded(self, x: int, widths: tuple[tuple[int, int], ...]) -> int:
        """Zeros around, (before, after) for each axis."""
        if not any(map(any, widths)):
            return x
        shape = tuple(size + sum(width) for size, width in zip(self.shapes[x], widths))
        return self.op("PAD", (x, self.constant(widths, np.int32)), shape, "Pad")

    def part(self, x: int, begin: tuple[int, ...], shape: tuple[int, ...]) -> int:
        """A part of that shape, from a beginning."""
        return self.op("SLICE", (x, self.constant(begin, np.int32), self.constant(shape, np.int32)), shape, "Slice")
