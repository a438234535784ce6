"""transcribe: write the trace of a run that something else made, from the tensors that it gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from ..traces.fingerprint import fingerprint
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
) -> Trace:
    """The trace of a run in a library that can't be watched op by op, but gives its values.

    Args:
        path: the folder to write. inputs: by path ("inputs[0]"). weights: by dotted name, as far as they are known.
        values: in the order in which they were computed. outputs: by path ("output", "output[1]").
        settings: of the library, for the fingerprint. notes: what could not be seen.

    Returns:
        The trace, with all elements. A value that has the bits of an output stands for it.

    Raises:
        TraceError: the folder exists or can't be written.
    """
    writer = TraceWriter(path, level="tensors", fingerprint=fingerprint().with_section("backend", dict(settings)))
    for role, tensors in ((Role.INPUT, inputs), (Role.PARAMETER, weights)):
        for name, tensor in tensors.items():
            _write(writer, tensor, role, name)
    made: list[int] = []
    by_bits: dict[tuple[str, tuple[int, ...]], int] = {}
    for value in values:
        number = _write(writer, value.tensor, Role.OP, "")
        made.append(number)
        by_bits[_bits_of(value.tensor)] = number
        given = tuple(Ref(made[place]) for place in value.inputs)
        writer.add_step(
            Step(
                writer.steps,
                StepKind.OP,
                Phase.FORWARD,
                value.op,
                module=value.module,
                call=0,
                source=value.source,
                arguments=given,
                keywords={},
                outputs=(number,),
            )
        )
    named: dict[str, int] = {}
    for name, tensor in outputs.items():
        known = by_bits.get(_bits_of(tensor))
        named[name] = _write(writer, tensor, Role.UNSEEN, name) if known is None else known
    return read_trace(writer.close(named=named, notes=tuple(notes)))


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
