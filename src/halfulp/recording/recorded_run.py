"""record(model_or_fn, inputs): run it once and write its trace."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..arguments import arguments_of
from ..containers import named_in
from ..errors import InputError
from ..process.border import answered
from ..process.settings import COMPUTING, SURROUNDINGS, put_back, readings
from ..traces.hashes import CHUNK, weights
from ..traces.reader import read_trace
from ..traces.trace import Trace
from .exported import ExportedFunction
from .recorder import Recorder


@answered
def record(
    model_or_fn: Callable[..., Any] | torch.export.ExportedProgram,
    inputs: Any,
    path: str | Path | None = None,
    *,
    level: str = "statistics",
    keywords: Mapping[str, Any] | None = None,
    gradients: bool = False,
    optimizer: torch.optim.Optimizer | None = None,
    select: Sequence[str] = (),
    sample: int | None = None,
    budget_bytes: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Trace:
    """What a model or function computes on these inputs, op by op.

    It is called once, as a program would call it: running statistics move on, random numbers are drawn, gradients are added to `.grad`.

    Args:
        model_or_fn: an `nn.Module`, a function, or an `ExportedProgram` of torch.export, which is run node by node: the source of each op
            is then "%" and the name of its node.
        inputs: a tuple or list of arguments; a dict whose keys are parameters is keyword arguments; anything else is the only argument.
            Tensors anywhere inside are recorded as inputs.
        path: the folder to write ("run.trace"); must not exist. None keeps the trace in a temporary folder for as long as the result lives.
        level: "hash" (hash and statistics of each value), "statistics" (and a sample of 64 elements), "tensors" (all elements). Only
            from "tensors" can be told what each op adds by itself.
        keywords: keyword arguments.
        gradients: also run the backward pass, from the output where it is one number, else from all floating-point outputs weighted by
            fixed multiples of 1/8 in [-1, 1], the same on every machine.
        optimizer: also take one step of it, after the backward pass.
        select, sample, budget_bytes, progress: see `Recorder`.

    Returns:
        The trace, read back from the folder. Under torchrun each rank writes (and returns) its own, in path/rank-00000 and so on.

    Raises:
        InputError: an argument that makes no sense, or outputs without a gradient. TraceError: the folder exists or can't be written.

    Example:
        >>> import torch, halfulp
        >>> trace = halfulp.record(torch.nn.Linear(3, 2), torch.ones(4, 3))
        >>> [step.op for step in trace.ops]
        ['aten.t.default', 'aten.addmm.default']
    """
    if isinstance(model_or_fn, torch.export.ExportedProgram):
        model_or_fn = ExportedFunction(model_or_fn)
    if not callable(model_or_fn):
        raise InputError(
            f"Got {type(model_or_fn).__name__} to record. Needed: an nn.Module or a function. It is called once with the inputs. "
            "Pass the callable itself, and its inputs separately."
        )
    arguments, named = arguments_of(inputs, keywords, (model_or_fn,))
    kept: str | None = None
    if path is None:
        kept = tempfile.mkdtemp(prefix="halfulp-")
        path = Path(kept) / "run.trace"
    try:
        recorder = Recorder(path, level=level, select=select, sample=sample, budget_bytes=budget_bytes, progress=progress)
        module = model_or_fn.module if isinstance(model_or_fn, ExportedFunction) else model_or_fn
        if isinstance(module, nn.Module):
            recorder.watch(module)
        before = readings((*COMPUTING, *SURROUNDINGS))
        with contextlib.ExitStack() as stack:
            stack.callback(put_back, before)
            stack.enter_context(recorder)
            recorder.inputs(arguments)
            if named:
                recorder.inputs(named, "keywords")
            if isinstance(model_or_fn, ExportedFunction):
                output = model_or_fn.node_by_node(recorder, arguments, named)
            else:
                output = model_or_fn(*arguments, **named)
            recorder.outputs(output)
            if gradients or optimizer is not None:
                _differentiate(recorder, output)
            if optimizer is not None:
                optimizer.step()
            with recorder.paused():
                changed = put_back(before)
            recorder.notes += [f"{name}; halfulp undid the change" for name in changed]
        trace = read_trace(recorder.path)
    except BaseException:
        if kept is not None:
            shutil.rmtree(kept, ignore_errors=True)
        raise
    if kept is not None:
        weakref.finalize(trace, shutil.rmtree, kept, ignore_errors=True)
    return trace


def _differentiate(recorder: Recorder, output: Any) -> None:
    leaves = [leaf for leaf in _leaves(output) if leaf.requires_grad]
    if not leaves:
        raise InputError(
            "Got outputs without a gradient. Needed: at least one output that depends on a parameter or an input that requires a gradient. "
            "Gradients were asked for. Leave out gradients=True, or call requires_grad_() on an input."
        )
    with recorder.paused():
        is_loss = len(leaves) == 1 and leaves[0].dim() == 0
        weighted = [torch.ones_like(leaf) if is_loss else _weights(leaf) for leaf in leaves]
    recorder.inputs(weighted, "cotangents")
    torch.autograd.backward(leaves, weighted)


def _weights(output: torch.Tensor) -> torch.Tensor:
    """Multiples of 1/8 in [-1, 1]: exact in every format, from the same integers on every machine."""
    count = output.numel()
    steps = np.resize(weights() >> 40, count) + np.arange(count) // CHUNK
    return torch.from_numpy((steps % 17 - 8) / 8.0).reshape(output.shape).to(device=output.device, dtype=output.dtype)


def _leaves(tree: Any) -> list[torch.Tensor]:
    return [tensor for _, tensor in named_in(tree, "output", lambda value: isinstance(value, torch.Tensor))]
