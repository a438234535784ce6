"""Flow: which call of a program made what another call reads."""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import Any

import torch

from ..origins.place import Place
from ..recording.names import source_line
from .calls import Call, is_scalar, tensors_in

CASTS = frozenset(("to", "half", "bfloat16", "type", "type_as", "float", "double"))
NARROW = (torch.float16, torch.bfloat16)
CHAIN = 8
"""So many additions one after the other are a sum by hand."""


class Flow:
    """The calls of one side as a graph.

    Attributes:
        names: of the calls by number. parents: which calls made what a call reads. places: where calls are made, in words.
        sites: module and source line of each call. narrowing: calls that cast to 16 bits. computing: calls that gave a tensor.
        lengths: of the axes of all tensors that are read or made. constants: the numbers among the arguments.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.parents: dict[int, tuple[int, ...]] = {}
        self.places: dict[int, str] = {}
        self.sites: dict[int, tuple[str, str]] = {}
        self.narrowing: set[int] = set()
        self.computing: set[int] = set()
        self.lengths: set[int] = set()
        self.constants: set[float] = set()
        self._children: dict[int, list[int]] = defaultdict(list)
        self._made: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}

    def begin(self, call: Call) -> None:
        """Note a call before it is made."""
        found: list[int] = []
        self.constants.update(float(value) for value in (*call.arguments, *call.keywords.values()) if is_scalar(value))
        for tensor in tensors_in([*call.arguments, *call.keywords.values()]):
            self.lengths.update(tensor.shape)
            known = self._made.get(id(tensor))
            if known is not None and known[0]() is tensor:
                found.append(known[1])
        self.names[call.number] = call.name
        self.parents[call.number] = tuple(found)
        self.places[call.number] = call.place
        self.sites[call.number] = (call.module, source_line())
        for number in found:
            self._children[number].append(call.number)

    def end(self, call: Call, result: Any) -> None:
        """Note what a call returned."""
        for tensor in tensors_in(result):
            self.computing.add(call.number)
            self.lengths.update(tensor.shape)
            self._made[id(tensor)] = (weakref.ref(tensor), call.number)
        if call.name in CASTS and isinstance(result, torch.Tensor) and result.dtype in NARROW:
            first = call.first
            if isinstance(first, torch.Tensor) and first.dtype in (torch.float32, torch.float64):
                self.narrowing.add(call.number)

    def at(self, place: Place, side: str) -> set[int]:
        """The calls of this flow, that of a side, in the modules and lines of a place."""
        sites = {(call.module, call.source) for call in place.calls(side)}
        return {number for number, site in self.sites.items() if site in sites}

    def leads_to(self, number: int, names: frozenset[str], steps: int) -> bool:
        """Whether a call of one of the names follows within so many steps."""
        return self._reaches(number, names, steps, self._children)

    def follows(self, number: int, names: frozenset[str], steps: int) -> bool:
        """Whether a call of one of the names comes before within so many steps."""
        return self._reaches(number, names, steps, self.parents)

    def _reaches(self, number: int, names: frozenset[str], steps: int, edges: Any) -> bool:
        front = {number}
        for _ in range(steps):
            front = {item for place in front for item in edges.get(place, ())}
            if any(self.names.get(item) in names for item in front):
                return True
        return False

    def adds_up(self, number: int) -> bool:
        """Whether a call belongs to a long chain of additions (casts between them don't count)."""
        length, front, seen = 0, number, 0
        while seen < 4 * CHAIN:
            seen += 1
            if self.names.get(front) in ("add", "addcmul", "addmm", "baddbmm", "fma", "sub"):
                length += 1
            if length >= CHAIN:
                return True
            following = [
                index for index in self.parents.get(front, ()) if self.names.get(index) in ("add", "addcmul", "addmm", "baddbmm", *CASTS)
            ]
            if not following:
                break
            front = max(following)
        return False
