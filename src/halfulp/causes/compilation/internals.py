"""The internals of PyTorch's compiler that are used here, in one place: they have no stable interface and no types."""

from __future__ import annotations

import copy
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest import mock

import torch
from torch import fx

from ...process.alone import alone
from ...recording.names import relative


def _part(module: str) -> Any:
    return importlib.import_module(module)


def compiled_by_inductor(module: fx.GraphModule, inputs: Sequence[Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """A graph compiled by inductor; the graph is used up."""
    return _part("torch._inductor.compile_fx").compile_fx(module, list(inputs), config_patches=dict(options))


def lowered_by_aot(
    module: fx.GraphModule,
    inputs: Sequence[Any],
    compiler: Callable[[fx.GraphModule, Any], Callable[..., Any]],
    decompositions: Mapping[Any, Callable[..., Any]] | None = None,
) -> Callable[..., Any]:
    """A graph functionalized and taken apart into ATen ops, by default as inductor takes it apart, handed to `compiler`."""
    boxed = _part("functorch.compile").make_boxed_func
    return _part("torch._functorch.aot_autograd").aot_module_simplified(
        module, list(inputs), fw_compiler=lambda graph, example: boxed(compiler(graph, example)),
        decompositions=decomposition_table() if decompositions is None else dict(decompositions),
    )  # fmt: skip


def decomposition_table() -> dict[Any, Callable[..., Any]]:
    """Op -> what inductor takes it apart with."""
    return dict(_part("torch._inductor.decomposition").select_decomp_table())


def passed(module: fx.GraphModule, inputs: Sequence[Any], options: Mapping[str, Any], kept: list[fx.GraphModule]) -> Callable[..., Any]:
    """A graph after all of inductor's passes over graphs, run op by op: no code is generated. The graph is used up.

    Args:
        module, inputs: as a backend gets them. options: of inductor. kept: the graphs that were made, in order, are appended.
    """
    compiler, lowering = _part("torch._inductor.compile_fx"), graph_lowering()

    def inner(graph: fx.GraphModule, example: Sequence[Any], **keywords: Any) -> Callable[..., Any]:
        made: list[fx.GraphModule] = []

        def run(self: Any, *_: Any, **__: Any) -> Any:
            made.append(copy.deepcopy(self.module))
            raise _Passed

        with alone(), mock.patch.object(lowering, "run", run), config().patch(fx_graph_cache=False, fx_graph_remote_cache=False):
            try:
                compiler.compile_fx_inner(graph, example, **keywords)
            except Exception:
                if not made:
                    raise
        kept.append(made[-1])

        def call(values: list[Any]) -> Any:
            own = list(values)
            values.clear()
            return made[-1](*own)

        call._boxed_call = True  # type: ignore[attr-defined]
        return call

    with _part("torch._functorch.config").patch(enable_autograd_cache=False):  # which would hand out code that was generated before
        return compiler.compile_fx(module, list(inputs), inner_compile=inner, config_patches=dict(options) or None)


class _Passed(Exception):
    """Ends compiling where code would be generated."""


def passes_of_users() -> dict[str, Any]:
    """Option -> pass over graphs that somebody put there."""
    names = (
        "pre_grad_custom_pass",
        "joint_custom_pre_pass",
        "joint_custom_post_pass",
        "post_grad_custom_pre_pass",
        "post_grad_custom_post_pass",
    )
    return {name: value for name in names if (value := getattr(config(), name, None)) is not None}


def foreign_lowering(op: Any) -> str:
    """Where what turns an op into loops is written ("file.py:12"), if that is not PyTorch's own; else ""."""
    function = _part("torch._inductor.lowering").lowerings.get(op)
    return origin_of(function) if is_foreign(function) else ""


def foreign_generator(op: Any) -> str:
    """Where what makes C++ code of an op, scalar or vectorized, is written ("file.py:12"), if that is not PyTorch's own; else ""."""
    cpp, name = _part("torch._inductor.codegen.cpp"), str(op).split(".")[1] if "." in str(op) else ""
    for kind in ("CppVecOverrides", "CppOverrides"):
        function = getattr(getattr(cpp, kind, None), name, None)
        if is_foreign(function):
            return origin_of(function)
    return ""


def origin_of(function: Any) -> str:
    """Where a function is written ("file.py:12"): the outermost one outside of PyTorch of those that wrap each other, else the innermost."""
    places = _places(function)
    foreign = [place for place in places if not _is_of_torch(place[0])]
    if not places:
        return ""
    file, line = (foreign or places[-1:])[0]
    return f"{relative(file)}:{line}"


def is_foreign(function: Any) -> bool:
    """Whether a function, or one that it wraps, is written outside of PyTorch."""
    return any(not _is_of_torch(file) for file, _ in _places(function))


def _places(function: Any) -> list[tuple[str, int]]:
    """File and line of a function and of those that it wraps, outermost first."""
    chain, seen = [function], {id(function)}
    while (inner := getattr(chain[-1], "__wrapped__", None)) is not None and id(inner) not in seen:
        chain.append(inner)
        seen.add(id(inner))
    return [(code.co_filename, code.co_firstlineno) for item in chain if (code := getattr(item, "__code__", None)) is not None]


def _is_of_torch(file: str) -> bool:
    return file.startswith((os.path.dirname(torch.__file__) + os.sep, "<"))


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
