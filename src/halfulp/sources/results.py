"""Stored results: a file of tensors, or a trace of another machine, as the side that they are the outcome of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..cases import Stored
from ..errors import InputError, TraceError
from ..traces import Trace, read_trace
from ..traces.roles import Role
from .tensor_files import read_tensors

_INPUT = re.compile(r"^inputs\[(\d+)\]$")


@dataclass(frozen=True)
class Result:
    """A stored result, and what is known of how it was made.

    Attributes:
        stored: as a side. inputs: place -> the tensor that it was computed from; empty where that is not stored. where: the machine, in words.
    """

    stored: Stored
    inputs: Mapping[int, torch.Tensor]
    where: str = ""


def result_of_file(path: Path) -> Result:
    """The tensors of a file.

    Raises:
        TensorFileError: it can't be read.
    """
    return Result(Stored(read_tensors(path), str(path)), {})


def result_of_trace(path: Path) -> Result:
    """What a recorded run returned, and the inputs that it was given.

    Raises:
        TraceError: it is not a trace, was cut off, holds no results, or not all of their elements.
    """
    trace = read_trace(path)
    outputs = {name: number for name, number in trace.named.items() if name == "output" or name.startswith(("output[", "output."))}
    if not outputs:
        again = "halfulp record FILE.py:name -o run.trace"
        raise TraceError(
            f"Got {path}, a trace without outputs. Needed: the recording of a function or module that returned. The run ended before that. Fix "
            f"what stopped it, and record it again: {again}."
            if trace.is_partial
            else f"Got {path}, a trace without outputs. Needed: the recording of a function or module. A recorded script returns nothing. "
            f"Record it by its name: {again}."
        )
    tensors = {name: _tensor(trace, number, name) for name, number in outputs.items()}
    devices = {trace.values[number].device for number in outputs.values()}
    values: Any = tensors["output"] if list(tensors) == ["output"] else tensors
    inputs = {
        int(found[1]): _tensor(trace, value.number, value.name)
        for value in trace.values
        if value.role is Role.INPUT and value.is_complete and (found := _INPUT.match(value.name))
    }
    stored = Stored(values, str(path), device=devices.pop() if len(devices) == 1 else "")
    return Result(stored, inputs)


def _tensor(trace: Trace, number: int, name: str) -> torch.Tensor:
    """A value of a trace in its own dtype."""
    value = trace.values[number]
    if not value.is_complete:
        raise TraceError(
            f"Got {trace.path.name}, a trace of level {trace.level!r}, which does not hold all elements of {name}. Needed: all of them. They are what is "
            "compared. Record again with --level tensors, and without --select, --sample and --budget."
        )
    stored = np.array(trace.stored(number))
    if value.dtype.startswith("float8"):
        return torch.from_numpy(stored).view(getattr(torch, value.dtype))
    dtype = getattr(torch, value.dtype, None)
    if not isinstance(dtype, torch.dtype):
        raise TraceError(
            f"Got {trace.path.name} with {name} of dtype {value.dtype}. Needed: a dtype of PyTorch. Nothing else can be compared."
        )
    return torch.from_numpy(stored).to(dtype)


def with_inputs_of(results: list[Result], given: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """The inputs that a result was computed from in the place of those that were made here, as far as a trace has them.

    Args:
        results: of both sides. given: made from the seed; None where nothing says how.

    Returns:
        The arguments; None where nothing says all of them.

    Raises:
        InputError: two traces disagree about their inputs.
    """
    known: dict[int, torch.Tensor] = {}
    for result in results:
        for place, tensor in result.inputs.items():
            if place in known and not _same(known[place], tensor):
                raise InputError(
                    f"Got two traces whose inputs[{place}] differ. Needed: the same inputs. Results of different inputs can't "
                    "be compared. Record both on the same ones."
                )
            known[place] = tensor
    if given is not None:
        return tuple(_like(known[place], value) if place in known else value for place, value in enumerate(given))
    return tuple(known[place] for place in range(len(known))) if known and sorted(known) == list(range(len(known))) else None


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def _like(tensor: torch.Tensor, given: Any) -> Any:
    """The recorded tensor as the kind of thing that the function takes there."""
    return tensor.numpy() if isinstance(given, np.ndarray) and tensor.dtype != torch.bfloat16 else tensor
