"""transcribe: write the trace of a run that something else made, from the tensors that it gave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from ..traces.fingerprint import LIBRARY, fingerprint
from ..traces.reader import read_trace
from ..traces.roles import Phase, Role, StepKind
from ..traces.shards import ITEM_BYTES
from ..traces.trace import Ref, Step, Trace, Value
from ..traces.writer import TraceWriter
from .summary import dtype_name, elements_of, hash_of, statistics_of


@dataclass(frozen=True, eq=False)
class Transcribed:
    """One value on the way.

    Attributes:
        tensor: what it was, on the CPU. op: what made it, with its library ("onnx.Gemm").
        module: the dotted path of the module that it belongs to, "" where unknown. source: a line of the user's program, "" where unknown.
        inputs: earlier values that it was made from, as positions in the list; () where unknown.
    """

    tensor: torch.Tensor
    op: str
    module: str = ""
    source: str = ""
    inputs: tuple[int, ...] = ()


def transcribe(
    path: str | Path,
    *,
    inputs: Mapping[str, torch.Tensor],
    weights: Mapping[str, torch.Tensor],
    values: Iterable[Transcribed],
    outputs: Mapping[str, torch.Tensor],
    settings: Mapping[str, str],
    notes: Sequence[str] = (),
    in_other_layouts: bool = False,
) -> Trace:
    """The trace of a run in a library that can't be watched op by op, but gives its values.

    Args:
        path: the folder to write. inputs: by path ("inputs[0]"). weights: by dotted name, as far as they are known.
        values: in the order in which they were computed. outputs: by path ("output", "output[1]").
        settings: of the library, for the fingerprint. notes: what could not be seen.
        in_other_layouts: whether values are written with their channels moved first, and last, too: libraries differ in that, and nothing
            else tells which value of one is which of another.

    Returns:
        The trace, with all elements. A value that has the bits of an output stands for it.

    Raises:
        TraceError: the folder exists or can't be written.
    """
    writer = TraceWriter(path, level="tensors", fingerprint=fingerprint().with_section(LIBRARY, dict(settings)))
    for role, tensors in ((Role.INPUT, inputs), (Role.PARAMETER, weights)):
        for name, tensor in tensors.items():
            _write(writer, tensor, role, name)
    made: list[int] = []
    by_bits: dict[tuple[str, tuple[int, ...]], int] = {}

    def write(value: Transcribed, tensor: torch.Tensor, op: str, given: tuple[Ref, ...]) -> int:
        number = _write(writer, tensor, Role.OP, "")
        by_bits[_bits_of(tensor)] = number
        writer.add_step(
            Step(
                writer.steps, StepKind.OP, Phase.FORWARD, op, module=value.module, call=0, source=value.source, arguments=given,
                keywords={}, outputs=(number,),
            )
        )  # fmt: skip
        return number

    for value in values:
        made.append(write(value, value.tensor, value.op, tuple(Ref(made[place]) for place in value.inputs)))
        for words, tensor in _layouts(value.tensor) if in_other_layouts else ():
            write(value, tensor, f"{value.op} ({words})", (Ref(made[-1]),))
    named: dict[str, int] = {}
    for name, tensor in outputs.items():
        known = by_bits.get(_bits_of(tensor))
        named[name] = _write(writer, tensor, Role.UNSEEN, name) if known is None else known
    return read_trace(writer.close(named=named, notes=tuple(notes)))


def _layouts(tensor: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
    """A tensor of three to five axes with its last axis, or its second, moved to where other libraries have the channels."""
    if not tensor.is_floating_point() or tensor.dim() not in (3, 4, 5):
        return []
    moved = (("channels first", tensor.movedim(-1, 1)), ("channels last", tensor.movedim(1, -1)))
    return [(words, other) for words, other in moved if min(tensor.shape[1], tensor.shape[-1]) > 1 or math.prod(tensor.shape[2:-1]) > 1]


def _bits_of(tensor: torch.Tensor) -> tuple[str, tuple[int, ...]]:
    return f"{dtype_name(tensor)} {hash_of(tensor.contiguous())}", tuple(tensor.shape)


def _write(writer: TraceWriter, tensor: torch.Tensor, role: Role, name: str) -> int:
    number, plain = writer.values, tensor.detach().contiguous()
    dtype, shape = dtype_name(plain), tuple(plain.shape)
    hashed, statistics, place = "", {}, None
    if dtype in ITEM_BYTES:
        hashed, statistics = hash_of(plain), statistics_of(plain)
        if plain.numel():
            values, elements = elements_of(plain, plain.numel())
            place = writer.store(dtype, shape, values, elements=elements)
    writer.add_value(
        Value(
            number,
            role,
            name,
            dtype,
            shape=shape,
            strides=tuple(plain.stride()),
            device="cpu",
            hash=hashed,
            statistics=statistics,
            place=place,
        )
    )
    return number
