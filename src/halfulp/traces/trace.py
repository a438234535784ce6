"""Trace: what one implementation computed, step by step, with the Fingerprint of where it ran.

A trace is a list of steps (ops and module calls, in the order in which they happened) over a list of values (tensors). Values are numbered:
that two steps name the same number says that the second read what the first wrote.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from ..floats import widen
from .fingerprint import Fingerprint
from .hashes import CHUNK, hash_of, hash_of_parts
from .roles import Phase, Role, StepKind
from .samples import sampled_places
from .shards import ITEM_BYTES, Place, ShardReader

SCHEMA = 1
"""Raised whenever the meaning of a stored field changes; `reader.py` has a reader for each."""

LEVELS = ("hash", "statistics", "tensors")


@dataclass(frozen=True)
class Value:
    """One tensor at one time.

    Attributes:
        number: its place in the trace's list.
        role: what made it.
        name: of an input, parameter or buffer: its dotted path.
        dtype: "float32", "bfloat16", "int64", "bool" ... shape, strides: in elements. device: "cpu", "cuda:0" ...
        hash: of all its bits (`hashing.hash_of`); "" where there is none.
        statistics: "min", "max", "mean", "rms" over the finite elements, and "nan", "inf": how many elements are not.
        place: where its elements are stored; None below level "tensors".
        placements: how a distributed tensor is spread over ranks ("Shard(0)", "Replicate()", "Partial(sum)"); () for any other.
    """

    number: int
    role: Role
    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    device: str
    hash: str
    statistics: dict[str, float]
    place: Place | None = None
    placements: tuple[str, ...] = ()

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return int(np.prod(self.shape, dtype=np.int64)) if self.shape else 1

    @property
    def is_complete(self) -> bool:
        """Whether all elements are stored."""
        return self.place is not None and self.place.elements == self.elements

    @property
    def is_finite(self) -> bool:
        """Whether it has neither NaN nor infinities."""
        return not (self.statistics.get("nan") or self.statistics.get("inf"))


@dataclass(frozen=True)
class Ref:
    """An argument that is a tensor: the number of its value."""

    number: int


@dataclass(frozen=True)
class Step:
    """One op, or one call of a module (which comes after the ops that it consists of).

    Attributes:
        index: its place in the order of events.
        kind, phase: what it is, and when.
        op: the overload ("aten.addmm.default"); of a module its class.
        module: dotted path of the innermost module ("" for the outermost). call: how often that module had been called before.
        source: "file.py:12 function" and the lines that called it, "" where unknown.
        arguments, keywords: as the op was called: `Ref`, numbers, text, None, lists; dtypes and devices as {"dtype": ...}, {"device": ...}.
        outputs: numbers of the values that it returned, then of those that it overwrote; None for what is no tensor.
        forward: of an op of the backward pass: the index of the forward op that it belongs to, None where unknown.
    """

    index: int
    kind: StepKind
    phase: Phase
    op: str
    module: str
    call: int
    source: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    outputs: tuple[int | None, ...]
    forward: int | None = None

    @functools.cached_property
    def inputs(self) -> tuple[int, ...]:
        """The numbers of all values that it read, in the order of its arguments."""
        return tuple(_refs((self.arguments, self.keywords)))

    @property
    def name(self) -> str:
        """The op without namespace, overload and the underscore of in-place ops: "addmm"."""
        parts = self.op.split(".")
        word = parts[1] if len(parts) > 1 else parts[0]
        return word.rstrip("_") if word.endswith("_") and not word.endswith("__") else word


def _refs(tree: Any) -> Iterator[int]:
    if isinstance(tree, Ref):
        yield tree.number
    elif isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _refs(part)
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _refs(part)


@dataclass(eq=False)
class Trace:
    """What one implementation computed.

    Attributes:
        path: its folder.
        level: "hash", "statistics" or "tensors".
        values, steps: see `Value`, `Step`.
        fingerprint: where it ran.
        named: name -> number of what was known by name at the end: "output", "output.0", "fc.weight", "fc.weight.grad" ...
        notes: what could not be seen, in words.
        is_partial: the run ended before the trace was complete. rank: of a distributed run, None otherwise.
    """

    path: Path
    level: str
    values: list[Value]
    steps: list[Step]
    fingerprint: Fingerprint
    named: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_partial: bool = False
    rank: int | None = None

    def __post_init__(self) -> None:
        self._reader = ShardReader(self.path)
        self._verified: set[int] = set()

    @functools.cached_property
    def ops(self) -> list[Step]:
        """The steps that are ops."""
        return [step for step in self.steps if step.kind == "op"]

    @functools.cached_property
    def producers(self) -> dict[int, Step]:
        """Value number -> the op that made it (the first: later ones handed it through)."""
        found: dict[int, Step] = {}
        for step in self.ops:
            for number in step.outputs:
                if number is not None and self.values[number].role in (Role.OP, Role.BUFFER) and number not in step.inputs:
                    found.setdefault(number, step)
        return found

    def stored(self, number: int) -> npt.NDArray[np.generic]:
        """The stored elements of a value: of its shape where all are stored, else flat, at `sampled_places`.

        bfloat16 comes as float32, 8-bit floats as uint8 bits.

        Raises:
            TraceError: nothing is stored, or the stored bytes don't have the recorded hash.
        """
        value, place = self._stored_value(number)
        bits = _bits(self._reader.read(place, 0, place.end - place.begin), value.dtype)
        if value.is_complete:
            if number not in self._verified:
                self._verify(value, hash_of(bits))
            bits = bits.reshape(value.shape)
        return _from_bits(bits, value.dtype)

    def rows(self, number: int, start: int, stop: int) -> npt.NDArray[np.generic]:
        """The same, of the rows start to stop along the first axis of a value that is stored completely."""
        value, place = self._stored_value(number)
        if number not in self._verified:
            self._verify(value, hash_of_parts(self._chunks(place, value.dtype)))
        row = (place.end - place.begin) // max(1, value.shape[0])
        bits = _bits(self._reader.read(place, start * row, stop * row), value.dtype)
        return _from_bits(bits.reshape(stop - start, *value.shape[1:]), value.dtype)

    def _chunks(self, place: Place, dtype: str) -> Iterator[npt.NDArray[Any]]:
        step = CHUNK * ITEM_BYTES[dtype]  # whole chunks of words, also where an element is several
        for begin in range(0, place.end - place.begin, step):
            yield _bits(self._reader.read(place, begin, min(begin + step, place.end - place.begin)), dtype)

    def _stored_value(self, number: int) -> tuple[Value, Place]:
        value = self.values[number]
        if value.place is None:
            raise TraceError(
                f"Got level {self.level!r} for value {number} of {self.path.name}. Needed: its elements. Only hashes or statistics of "
                "them were recorded. "
                'Record again with level="tensors" and without budget_bytes.'
            )
        return value, value.place

    def _verify(self, value: Value, found: str) -> None:
        if value.hash and found != value.hash:
            raise TraceError(
                f"Got elements of value {value.number} in {value.place.shard if value.place else '?'} that don't have the recorded "
                f"hash. Needed: "
                f"the bytes that were written. The file was changed or damaged. Copy {self.path.name} again, or record again."
            )
        self._verified.add(value.number)

    def numbers(self, number: int) -> npt.NDArray[Any]:
        """The same as float64 (complex128 for complex values); integers and booleans keep their type."""
        stored = self.stored(number)
        if stored.dtype.kind == "f":
            return widen(stored)
        return widen(stored, np.complex128) if stored.dtype.kind == "c" else stored

    def places(self, number: int) -> npt.NDArray[np.int64]:
        """Which elements of the flattened value are stored."""
        value = self.values[number]
        return sampled_places(value.elements, value.place.elements if value.place else 0)


def _bits(raw: bytearray, dtype: str) -> npt.NDArray[Any]:
    return np.frombuffer(raw, dtype=f"u{ITEM_BYTES[dtype]}" if ITEM_BYTES[dtype] <= 8 else np.complex128)


def _from_bits(bits: npt.NDArray[Any], dtype: str) -> npt.NDArray[np.generic]:
    if dtype == "bfloat16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype == "bool":
        return bits.view(np.bool_)
    if dtype.startswith("float8"):
        return bits
    return bits.view(np.dtype(dtype))
