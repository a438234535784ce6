"""The internals of PyTorch's compiler that are used here, in one place: they have no stable interface and no types."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx


def _part(module: str) -> Any:
    return importlib.import_module(module)


def compiled_by_inductor(module: fx.GraphModule, inputs: Sequence[Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """A graph compiled by inductor; the graph is used up."""
    return _part("torch._inductor.compile_fx").compile_fx(module, list(inputs), config_patches=dict(options))


def lowered_by_aot(
    module: fx.GraphModule, inputs: Sequence[Any], compiler: Callable[[fx.GraphModule, Any], Callable[..., Any]]
) -> Callable[..., Any]:
    """A graph functionalized and taken apart into ATen ops as inductor takes it apart, handed to `compiler`."""
    boxed = _part("functorch.compile").make_boxed_func
    return _part("torch._functorch.aot_autograd").aot_module_simplified(
        module, list(inputs), fw_compiler=lambda graph, example: boxed(compiler(graph, example)),
        decompositions=_part("torch._inductor.decomposition").select_decomp_table(),
    )  # fmt: skip


def mode_options(name: str) -> dict[str, Any]:
    """The options of inductor that a mode of torch.compile stands for."""
    return dict(_part("torch._inductor").list_mode_options().get(name, {}))


def config() -> Any:
    """Inductor's configuration."""
    return _part("torch._inductor.config")


def graph_lowering() -> Any:
    """The class that turns nodes into buffers and writes the program."""
    return _part("torch._inductor.graph").GraphLowering


def tensor_box() -> Any:
    """The class of a value that may still be fused into what reads it."""
    return _part("torch._inductor.ir").TensorBox


def debug() -> Any:
    """The module that knows which kernel came from which node."""
    return _part("torch._inductor.debug")


def undisturbed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, never compiled itself."""
    dynamo: Any = _part("torch._dynamo")
    return dynamo.disable(function)


def forget_compiled() -> None:
    """Everything that was compiled in this process is forgotten."""
    _part("torch._dynamo").reset()


def is_aten(target: Any) -> bool:
    """Whether the target of a node is an op with a schema."""
    return isinstance(target, _part("torch._ops").OpOverload)


def copies(values: Sequence[Any]) -> list[Any]:
    """Tensors cloned, everything else as it is."""
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in values]
