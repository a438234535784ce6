"""Integers: data go to the limits of their type; indices and lengths stay within what a problem promises."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from ...cases.trees import tensors_of
from ...ops import Kind, called
from ...process.dispatch import DispatchMode
from ..problems.calls import Setting, leaves, with_leaves
from ..problems.comparisons import comparisons_in, constants
from ..problems.facts import alike
from ..problems.problem import argument_names
from ..promises.stated import Stated

NARROW = (torch.int8, torch.uint8, torch.int16)
WIDE = (torch.int32, torch.int64)
LARGE = {
    torch.int32: [("2^30, of which two don't fit into int32", 1 << 30)],
    torch.int64: [("2^33 + 1, beyond 32 bits", (1 << 33) + 1), ("2^53 + 1, which float64 cannot hold", (1 << 53) + 1)],
}
"""For data: these show sums of integers that are kept in too few bits."""
MARKS = {-1: "-1", -100: "-100, the value by which PyTorch marks targets that a loss ignores"}
"""Values outside the range with which code marks what does not count."""
Ask = Callable[[Setting], Any]
"""The reference's results; None if it refuses."""
Change = tuple[str, dict[int, torch.Tensor]]


class WholeNumbers:
    """What the integers among a problem's inputs are, and what else they may be.

    Data that are only added and counted may be anything; data that enter floating-point arithmetic are rounded, and large ones may be
    rounded in any way. Indices, targets and lengths lie between 0 and the length of some tensor; the problem promises nothing about others,
    unless the reference treats them specially.

    Args:
        draws: settings from several seeds. ask: the reference. text: the problem's source. marks: numbers by which the problem says that
            inputs are marked, in words. entry: see `argument_names`. stated: what the text says of them.
    """

    def __init__(
        self, draws: Sequence[Setting], ask: Ask, text: str, marks: Mapping[int, str], entry: str = "", stated: Stated | None = None
    ) -> None:
        self._stated = stated
        self.given, self.ask = draws[0], ask
        self.compared, self.names = compared(text), argument_names(text, entry)
        values = {value for value, _ in self.compared}
        self.told = set(marks)
        self.marks = list({**MARKS, **{value: str(value) for value in sorted(values - MARKS.keys())}, **marks}.items())
        drawn = [leaves(draw.arguments) for draw in draws]
        self.longest = max((length for tensor in drawn[0] for length in tensor.shape), default=0)
        self.range: dict[int, tuple[int, int]] = {}
        self.grouping, self.counting = set[int](), set[int]()
        lengths = {length for tensor in drawn[0] for length in tensor.shape}
        for place, tensor in enumerate(drawn[0]):
            if tensor.dtype in (*NARROW, *WIDE) and tensor.numel():
                found = [tensors[place] for tensors in drawn if place < len(tensors) and tensors[place].numel()]
                least, most = self.range[place] = min(int(tensor.min()) for tensor in found), max(int(tensor.max()) for tensor in found)
                # Places that come once each are a permutation, and the ends of pieces reach the length of what they divide.
                repeats = any(len(tensor.unique()) < tensor.numel() for tensor in found)
                if (
                    tensor.dtype in WIDE
                    and tensor.dim()
                    and tensor.shape[-1] > 2
                    and all(bool((one.diff(dim=-1) == 1).all()) for one in found)
                ):
                    self.counting.add(place)  # places, each of its own: what takes the number of a row for its place is right on these
                if tensor.dtype in WIDE and 0 <= least < most <= self.longest and most not in lengths and repeats:
                    self.grouping.add(place)

    def changes(self) -> Iterator[Change]:
        """The changed tensors by their place, each with words that follow a question's kind."""
        if not self.range:
            return
        results = self.ask(self.given)
        counts = results is not None and all(not tensor.is_floating_point() for tensor in tensors_of(results))
        full: dict[int, torch.Tensor] = {}
        wide: dict[int, torch.Tensor] = {}
        for place, (least, most) in self.range.items():
            tensor = leaves(self.given.arguments)[place]
            yield from self._far(place, counts=counts)
            if tensor.dtype in NARROW and self._is_full(place):
                full[place] = torch.full_like(tensor, torch.iinfo(tensor.dtype).min or torch.iinfo(tensor.dtype).max)
            elif tensor.dtype in WIDE and counts:
                wide |= self._some(place, "", ODD)[1]
            if place in self.grouping or (tensor.dtype in NARROW and least < most):
                yield self._one_group(place)
            if place in self.counting:
                yield f"the numbers of input {place} in reverse order", {place: tensor.flip(-1)}
                yield f"all elements of input {place} are {least}", {place: torch.full_like(tensor, least)}
            if tensor.dtype in WIDE and (renamed := self._renamed(place)) is not None:
                yield f"the numbers of input {place} are names from 2^24 on, which float32 can't tell apart", {place: renamed}
            if tensor.dtype in WIDE and self._is_full(place):  # bits, and no places
                yield self._some(place, "-1, every bit of it set", -1)
                yield self._some(place, "0, no bit of it set", 0)
            for value, label in self.marks:
                is_told = value in self.told and tensor.dtype in WIDE and self._computes(place, value)
                if not least <= value <= most and (is_told or self._is_apart(place, value, beyond=-1 if value < least else 1)):
                    yield self._some(place, label, value)
        if len(wide) > 1:
            yield "some elements of all inputs are 2^27 + 1, whose products float64 cannot hold", wide
        if len(full) > 1:
            yield "all small whole numbers at the limit of their type that is largest in magnitude", full

    def of_stated_range(self) -> Iterator[Change]:
        """Numbers over the range that the text gives them, where the draws stay in less than half of it."""
        for place, (low, high) in self._stated.whole_ranges.items() if self._stated is not None else ():
            least, most = self.range.get(place, (low, high))
            if 2 * (most - least) < high - low:
                tensor = leaves(self.given.arguments)[place]
                drawn = torch.randint(low, high + 1, tensor.shape, generator=torch.Generator().manual_seed(tensor.numel()))
                drawn.view(-1)[-1] = high
                yield f"input {place} over the range that the problem allows it, {low} to {high}", {place: drawn.to(tensor.dtype)}

    def of_any_size(self) -> Iterator[Change]:
        """Numbers over the whole range of their type, and all at either end of it, if the problem allows any."""
        for place in self._stated.any_whole if self._stated is not None else ():
            tensor = leaves(self.given.arguments)[place]
            drawn = whole_range(tensor)
            smallest, largest = _ends(tensor)
            yield f"input {place} over the full range of its type", {place: drawn}
            yield f"small numbers of both signs in input {place}", {place: drawn % 201 - 100}
            yield f"all elements of input {place} at the largest value of its type", {place: torch.full_like(tensor, largest)}
            yield f"all elements of input {place} at the smallest value of its type", {place: torch.full_like(tensor, smallest)}
            if tensor.dtype is torch.int64:
                near = tensor.clone()
                near.view(-1)[:NEAR].add_((1 << 53) - tensor.min())
                yield f"neighboring numbers past 2^53 in input {place}, which float64 can't tell apart", {place: near}
            yield self._some(place, "-1, with which code marks what came before the first", -1)
            mixed = torch.where(drawn % 2 == 0, largest, smallest).to(tensor.dtype)
            yield f"the largest and smallest values of its type in input {place}", {place: mixed}

    def _is_full(self, place: int) -> bool:
        """Whether more than half of the range of a type is used: then all of it may occur."""
        least, most = self.range[place]
        info = torch.iinfo(leaves(self.given.arguments)[place].dtype)
        return most - least > (info.max - info.min) // 2

    def _far(self, place: int, *, counts: bool) -> Iterator[Change]:
        """Data at the limits of their type, or beyond those of a shorter one; shorter lengths.

        Args:
            counts: whether the results are whole numbers too.
        """
        least, most = self.range[place]
        kind = leaves(self.given.arguments)[place].dtype
        if kind in NARROW:
            info = torch.iinfo(kind)
            if self._is_full(place):
                yield from (self._some(place, f"{value}, a limit of {info.dtype}", value) for value in (info.min, info.max))
        elif counts:
            yield from (self._some(place, label, value) for label, value in LARGE[kind])
            tensor = leaves(self.given.arguments)[place]
            more = 1 + (FAR_APART if kind is torch.int32 else 1 << (62 - tensor.numel().bit_length()))  # their sum fits into int64
            yield f"{more} added to all elements of input {place}", {place: tensor + more}
        elif least > 0 and (most <= self.longest or self._is_a_length(place)):
            shorter = {least // 2, 1} if most <= self.longest else {1}
            none = {0} if self._stated is not None and self._stated.empties else set[int]()
            found = sorted(({*shorter} - {0, least}) | none, reverse=True)
            yield from (self._some(place, str(value), value) for value in found)

    def _is_a_length(self, place: int) -> bool:
        """Whether its name says so: lengths of what is stored in pages are longer than any axis."""
        return self._stated is not None and re.search(r"len(?:s|gths?)?\b", self._stated.names.get(place, "")) is not None

    def _one_group(self, place: int) -> Change:
        """All indices equal: the other groups are empty."""
        tensor = leaves(self.given.arguments)[place]
        first = int(tensor.reshape(-1)[0])
        return f"all elements of input {place} are {first}", {place: torch.full_like(tensor, first)}

    def _renamed(self, place: int) -> torch.Tensor | None:
        """Other names in the same order; None if the numbers are more than names, which are only compared and otherwise arbitrary."""
        tensor = leaves(self.given.arguments)[place]
        kinds, own = tensor.unique(return_inverse=True)
        if len(kinds) < 2:
            return None
        ops = _Compared(tensor)
        with ops:
            wanted = self.ask(self.given)
        if wanted is None or not ops.only:
            return None
        renamed = (own + FAR_APART).to(tensor.dtype)
        return (
            renamed if alike(wanted, self.ask(replace(self.given, arguments=with_leaves(self.given.arguments, {place: renamed})))) else None
        )

    def _some(self, place: int, label: str, value: int) -> Change:
        changed = leaves(self.given.arguments)[place].clone()
        changed.view(-1)[:: max(min(2, changed.numel()), changed.numel() // 4)] = value  # never all of several
        return f"some elements of input {place} are {label}", {place: changed}

    def _is_apart(self, place: int, value: int, *, beyond: int) -> bool:
        """Whether the reference accepts a value and its source compares with it, or the reference refuses the next one."""
        return self._computes(place, value) and (self._is_compared(place, value) or not self._computes(place, value + beyond))

    def _is_compared(self, place: int, value: int) -> bool:
        """Whether the source compares this input with the value; an input that it doesn't name may be any."""
        own = self.names[place] if len(self.names) == len(leaves(self.given.arguments)) else ""
        found = [names for number, names in self.compared if number == value]
        return any(not own or own in names or names.isdisjoint(self.names) for names in found)

    def _computes(self, place: int, value: int) -> bool:
        _, changed = self._some(place, "", value)
        results = self.ask(replace(self.given, arguments=with_leaves(self.given.arguments, changed)))
        return results is not None and all(bool(torch.isfinite(tensor).all()) for tensor in tensors_of(results))


ODD = (1 << 27) + 1
"""Its square, 2^54 + 2^28 + 1, has one bit more than float64 can hold."""
NEAR = 256
"""How many: their sum fits into 64 bits."""
FAR_APART = 1 << 24
"""From here on, neighboring integers are equal in float32."""


def whole_range(tensor: torch.Tensor) -> torch.Tensor:
    """Other integers from the whole range of the type; for 64 bits, those whose sum it can hold too."""
    return torch.randint(*_ends(tensor), tensor.shape, generator=torch.Generator().manual_seed(tensor.numel())).to(tensor.dtype)


def _ends(tensor: torch.Tensor) -> tuple[int, int]:
    bits = 31 if tensor.dtype is torch.int32 else 62 - tensor.numel().bit_length()
    return -(1 << bits), (1 << bits) - 1


class _Compared(DispatchMode):
    """Whether a tensor's numbers are only compared: numbers that may be places in memory must not change.

    Attributes:
        only: so far; False as well where nothing was compared.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__()
        self._held = {tensor.untyped_storage().data_ptr()}
        self._kept: list[torch.Tensor] = []  # so that no other tensor comes to lie there
        self._goes_elsewhere = self._is_compared = False

    @property
    def only(self) -> bool:
        return self._is_compared and not self._goes_elsewhere

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        if any(tensor.untyped_storage().data_ptr() in self._held for tensor in tensors_of((args, kwargs or {}))):
            _, record = called(func)
            found = list(tensors_of(results))
            if func.is_view or record.moves or record.kind is Kind.CAST:
                self._kept += found
                self._held |= {tensor.untyped_storage().data_ptr() for tensor in found}
            elif found and all(tensor.dtype is torch.bool for tensor in found):
                self._is_compared = True
            else:
                self._goes_elsewhere = True
        return results


def compared(text: str) -> set[tuple[int, frozenset[str]]]:
    """Negative numbers that a source compares with for equality, with the names there; also arguments such as `ignore_index`."""
    equal = (found for found in comparisons_in(text) if found.is_equality)
    found = {(value, each.names) for each in equal for value in each.values if type(value) is int and value < 0}
    keywords = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.keyword) and node.arg in ("ignore_index", "padding_idx"))
    return found | {(value, frozenset[str]()) for node in keywords for value in constants(node.value) if type(value) is int}
