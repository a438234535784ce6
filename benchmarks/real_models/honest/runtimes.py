"""Compilers and other runtimes: torch.compile, torch.export, ONNX Runtime, OpenVINO."""

from __future__ import annotations

import copy
import os
import tempfile
import warnings
from typing import Any

import torch
from torch import nn

from ..pair import Sides
from ..planting import only
from .variant import honest


def compiled(chosen: Any) -> Sides:
    expected = only(chosen.model(), chosen.output)
    return Sides(torch.compile(copy.deepcopy(expected)), expected, chosen.inputs(0, 2))


def exported(chosen: Any) -> Sides:
    expected = only(chosen.model(), chosen.output)
    inputs = chosen.inputs(0, 2)
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(expected), (), kwargs=inputs)
    return Sides(program.module(), expected, inputs)


for architecture in ("gpt2", "vit", "timm_resnet", "timm_convnext"):
    honest("torch.compile", architecture, compiled)
for architecture in ("gpt2", "bert", "vit", "timm_resnet", "timm_swin", "tv_vgg", "unet2d"):
    honest("torch.export", architecture, exported)


def onnx_bytes(model: nn.Module, inputs: tuple[torch.Tensor, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder, torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program: Any = torch.onnx.export(model, inputs, dynamo=True, verbose=False)
        path = os.path.join(folder, "model.onnx")
        program.save(path)
        with open(path, "rb") as file:
            return file.read()


def by_onnxruntime(chosen: Any) -> Sides:
    import onnxruntime

    expected = only(chosen.model(), chosen.output)
    inputs = tuple(chosen.inputs(0, 2).values())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx_bytes(copy.deepcopy(expected), inputs), options, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]

    def actual(*given: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(session.run(None, {name: value.numpy() for name, value in zip(names, given, strict=True)})[0])

    return Sides(actual, expected, inputs)


def by_openvino(chosen: Any) -> Sides:
    import openvino

    expected = only(chosen.model(), chosen.output)
    inputs = tuple(chosen.inputs(0, 2).values())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(onnx_bytes(copy.deepcopy(expected), inputs))
        model = openvino.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})

    def actual(*given: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(model([value.numpy() for value in given])[0].copy())

    return Sides(actual, expected, inputs)


for architecture in ("bert", "vit", "timm_resnet", "timm_convnext", "tv_vgg"):
    honest("ONNX Runtime", architecture, by_onnxruntime)
for architecture in ("bert", "timm_resnet", "timm_mixer", "tv_squeezenet"):
    honest("OpenVINO in float32", architecture, by_openvino)
