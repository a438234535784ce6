"""LiteRT (TensorFlow Lite): XNNPACK, its own kernels, or its reference kernels.

Ops of the table become one-op models (`litert_ops.py`); modules go through litert-torch where it is installed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Generator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ...errors import Unsupported, install_command
from ...recording.transcript import Transcribed
from ...words.numbers import counted
from ..adapter import Adapter
from ..arrays import as_numpy, as_tensor
from ..interface import Option
from ..ops import OpModule
from ..program import Program, Tensors, Watched
from .litert_ops import model_of

RESOLVERS = {"xnnpack": "AUTO", "none": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "reference": "BUILTIN_REF"}


class LiteRt(Adapter):
    """LiteRT."""

    name = "litert"
    title = "LiteRT"
    packages = {"ai_edge_litert": "ai-edge-litert", "flatbuffers": "flatbuffers"}
    extra = "litert"
    dtypes = ("float32",)
    options = (
        Option("kernels", tuple(RESOLVERS), "delegate", frozenset(("everything",)), {
            key: f"Interpreter(model_path=path, experimental_op_resolver_type=OpResolverType.{name})" for key, name in RESOLVERS.items()
        }),
    )  # fmt: skip

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`. A target may also be a .tflite file or its bytes."""
        structure = None
        if isinstance(target, OpModule):
            model = model_of(target, arguments)
        elif isinstance(target, nn.Module):
            model, structure = _converted(target, arguments, keywords)
        elif isinstance(target, (bytes, str, Path)):
            model = target if isinstance(target, bytes) else Path(target).read_bytes()
        else:
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: one of halfulp's ops (halfulp.backends.ops.OPS has their names), an nn.Module, or a .tflite file (or its bytes). LiteRT can run "
                "nothing else. Convert it first."
            )
        interpreter = _interpreter(model, options)

        def run(tensors: Tensors) -> Tensors:
            return _run(interpreter, tensors)

        remarks: tuple[str, ...] = ()
        if options["kernels"] == "xnnpack" and not any(detail["op_name"] == "DELEGATE" for detail in interpreter._get_ops_details()):
            remarks = ("left to LiteRT's own kernels; nothing is delegated to XNNPACK",)
        return Program(run, structure, lambda tensors: _watch(model, tensors, run(tensors), options), remarks)


def _interpreter(model: bytes, options: Mapping[str, str], **more: Any) -> Any:
    module = import_module("ai_edge_litert.interpreter")
    kind = getattr(module.OpResolverType, RESOLVERS[options["kernels"]])
    with _silent(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = module.Interpreter(model_content=model, num_threads=torch.get_num_threads(), experimental_op_resolver_type=kind, **more)
        found.allocate_tensors()
    return found


def _run(interpreter: Any, tensors: Tensors) -> Tensors:
    details = interpreter.get_input_details()
    if len(details) != len(tensors):
        raise Unsupported(
            f"Got {counted(len(tensors), 'array')} for a model with {counted(len(details), 'input')}. Needed: one for each. Pass them in order."
        )
    for detail, tensor in zip(details, tensors):
        interpreter.set_tensor(
            detail["index"], as_numpy(tensor).astype(detail["dtype"], copy=False) if not tensor.is_floating_point() else as_numpy(tensor)
        )
    interpreter.invoke()
    return [as_tensor(interpreter.get_tensor(item["index"])) for item in interpreter.get_output_details()]


def _watch(model: bytes, tensors: Tensors, results: Tensors, options: Mapping[str, str]) -> Watched:
    """All tensors of the model, which it is told to keep."""
    interpreter = _interpreter(model, options, experimental_preserve_all_tensors=True)
    outputs = _run(interpreter, tensors)
    details = {detail["index"]: detail for detail in interpreter.get_tensor_details()}
    places: dict[int, int] = {}
    values: list[Transcribed] = []
    for op in interpreter._get_ops_details():
        if op["op_name"] == "DELEGATE":
            continue  # the same once more, by XNNPACK
        for number in op["outputs"]:
            try:
                array = interpreter.get_tensor(int(number))
            except ValueError:  # fused into the next op
                continue
            inputs = tuple(dict.fromkeys(places[int(item)] for item in op["inputs"] if int(item) in places))
            places[int(number)] = len(values)
            values.append(Transcribed(as_tensor(array), f"litert.{op['op_name']}", _module_of(details[int(number)]["name"]), inputs=inputs))
    notes: tuple[str, ...] = ()
    if not all(torch.equal(seen_part, result_part) for seen_part, result_part in zip(outputs, results)):
        notes = ("the results have different bits with recording than without: fusion is off where values are kept",)
    return Watched(values, outputs, notes=notes)


def _module_of(name: str) -> str:
    """The last module in "__main__.Net/torch.nn.modules.conv.Conv2d_layers.0;3", as litert-torch names tensors; "" for other names."""
    last = name.split(";;", maxsplit=1)[0].split(";", maxsplit=1)[0].rpartition("/")[2]
    kind, _, path = last.partition("_")
    return path if "." in kind else ""


def _converted(module: nn.Module, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[bytes, Any]:
    if find_spec("litert_torch") is None:
        raise Unsupported(
            f"Got {type(module).__name__}, an nn.Module, for litert. Needed: the package litert-torch, which converts modules. LiteRT itself takes only models in its own format. Install it with {install_command('litert-torch')}, or pass a .tflite file."
        )
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), _silent(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edge = import_module("litert_torch").convert(module, arguments, sample_kwargs=dict(keywords) or None)
        path = Path(folder) / "model.tflite"
        edge.export(str(path))
        spec = torch.export.export(module, arguments, dict(keywords)).call_spec.out_spec
        return path.read_bytes(), spec


@contextlib.contextmanager
def _silent() -> Generator[None]:
    """It says on standard error which delegate it made."""
    sys.stderr.flush()
    saved, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nothing)
