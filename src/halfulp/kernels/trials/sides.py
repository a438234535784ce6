"""Sides: the two sides of a question, the solution and the reference, in the form in which a case calls them."""

from __future__ import annotations

import math
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch

from ...cases.trees import tensors_of, tree_map
from ..problems.calls import Setting, State, call, differentiated, is_real, leaves
from ..solutions.sandbox import Called, Failed
from .memory import digest


@dataclass(frozen=True)
class How:
    """How to ask a setting.

    Attributes:
        whole: make the whole judgement in any case.
        gradients: compare gradients, taken in this way, instead of results. buffers_only: compare the buffers after the call instead.
        same_memory, repeated_s, stream, poisoned: see `Sandbox.call`. Only the last of repeated calls is judged; runs in float64 use
            neither a stream nor poisoned memory.
        longest_s: ask nothing if the reference takes longer; a slow solution is judged by one run first. within_s: how long the whole
            answer may take.
        exact: count a jump as wrong where the reference's numbers are exact.
        rounded: the largest share of results that may be off as where something else was rounded to 16 bits, see `more_roundings`.
        times: how much larger the numbers are than the problem's. apart: the arguments before some were made larger; results that don't
            depend on those must not change.
        but: for each tensor of the results, which of its numbers are left out; empty for none.
        usual: the inputs of the problem, on which gradients have their usual size.
    """

    whole: bool = False
    gradients: str = ""
    same_memory: bool = False
    repeated_s: float = 0.0
    buffers_only: bool = False
    stream: str = ""
    poisoned: bool = False
    longest_s: float = math.inf
    within_s: float = math.inf
    exact: bool = False
    rounded: float = math.inf
    times: float = 1.0
    apart: tuple[Any, ...] | None = None
    but: tuple[torch.Tensor, ...] = ()
    usual: Setting | None = None


AS_GIVEN = How()


class Solution(Protocol):
    """Calls the solution; `Trials` is one."""

    tables: frozenset[str]
    outputs: tuple[int, ...]
    solution: str
    code: types.FunctionType | None
    declared: str | None
    deadline: float

    def call(self, setting: Setting, **how: Any) -> Called:
        """Make one call; see `Trials.call`."""
        ...


class _There:
    """Is called in another process: it holds neither the reference nor its tables, and its slots are not looked into."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


class Sides:
    """The two sides of one question, in the form in which a case calls them, and what was observed.

    Attributes:
        given: the parameters that are inputs. names: whose gradients are compared. ran: the first result of the solution as it is.
        facts: what its process saw then. late: whether it would have been called after the time was up.
    """

    def __init__(self, own: Solution, target: Any, setting: Setting, how: How) -> None:
        self.own, self.target, self.setting, self.how = own, target, setting, how
        # The reference holds its tables itself, so that the judgement knows them for what they are.
        self.tables = {name: tensor for name, tensor in setting.state.items() if name in own.tables}
        self.given = {name: tensor for name, tensor in setting.state.items() if name not in own.tables}
        self.names: set[str] = set()
        self.ran: list[Any] = []
        self.facts: dict[str, Any] = {}
        self.late = False
        self._known: dict[str, Any] = {}  # that a solution agrees with itself is asked on the given inputs, and in sequence

    @property
    def actual(self) -> Any:
        """The solution, as a function of the parameters and the arguments."""
        there = _There(self._asked)

        def actual(state: Any, *arguments: Any) -> Any:
            # What is done here with tensors, to send them, is no op of the solution's.
            with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
                return there.call(state, *arguments)

        actual.__name__ = self.own.solution
        setattr(actual, "target", self.own.code)  # noqa: B010  # what the judgement reads of code whose ops it can't see
        return actual

    def expected(self, state: Any, *arguments: Any) -> Any:
        """The reference, as a function of the same."""
        setting = self.setting
        if self.how.gradients:
            found: Any = differentiated(self.target, state, arguments, setting.keywords, training=setting.training, way=self.how.gradients)
            return {name: found[name] for name in sorted(self.names & found.keys())}
        results, buffers = call(self.target, state, arguments, setting.keywords, training=setting.training)
        results = self._with_outputs(results, arguments)
        return buffers if self.how.buffers_only else (results, buffers) if setting.training else results

    def _with_outputs(self, results: Any, arguments: tuple[Any, ...]) -> Any:
        """The results, or the arguments that hold them where nothing is returned, without the numbers that are left out.

        Named tuples become plain ones: whether the parts of a result have names is no question of numbers.
        """
        if self.own.outputs:
            tensors = leaves(arguments)
            results = {f"inputs[{place}]": tensors[place] for place in self.own.outputs}
        results, left_out = _plain(results), iter(self.how.but)
        return tree_map(lambda value: _without(value, left_out), results) if self.how.but else results

    def _asked(self, state: Any, *arguments: Any) -> Any:
        how = self.how
        lifted = _lifted((state, arguments), self.setting, self.own.declared)
        state = {**state, **_kept_at(self.tables, lifted)}
        key = "" if how.whole or how.same_memory else f"{lifted} {digest((state, arguments))}"
        if key in self._known:
            results, updated = self._known[key]
            _update(arguments, updated)
            return results
        if time.monotonic() > self.own.deadline:
            self.late = True
            raise Failed(LATE, "was not called any more")
        found = self.own.call(
            replace(self.setting, arguments=arguments, state=state), lifted=lifted, gradients=how.gradients, same_memory=how.same_memory,
            repeated_s=0.0 if lifted else how.repeated_s, buffers=how.buffers_only, stream="" if lifted else how.stream,
            poisoned=how.poisoned and not lifted, within_s=how.within_s,
        )  # fmt: skip
        results = found.results
        _update(arguments, found.updated)
        if how.gradients:
            results = {name: results[name] for name in results if name in self.names}
        elif self.setting.training or how.buffers_only:
            result, buffers = results
            buffers = {name: buffers[name] for name in buffers if name not in self.tables}
            results = buffers if how.buffers_only else (self._with_outputs(result, arguments), buffers)
        else:
            results = self._with_outputs(results, arguments)
        if not lifted and not self.ran:
            self.ran.append(results)
            self.facts = found.facts
        if key:
            self._known[key] = results, found.updated
        return results


LATE, TIME_UP = "late", "the time was up"
"""How a call fails that was not made because time had run out, and its words."""


def _update(arguments: tuple[Any, ...], updated: Mapping[int, torch.Tensor]) -> None:
    """Write to arguments what a call in another process wrote to its own, so that it is compared like anything that a call changes."""
    tensors = leaves(arguments) if updated else []
    for place, tensor in updated.items():
        if tensors[place].shape == tensor.shape:
            tensors[place].copy_(tensor)


def _plain(results: Any) -> Any:
    """Results with plain tuples in place of named ones."""
    if isinstance(results, tuple):
        return tuple(_plain(part) for part in results)  # pyright: ignore[reportUnknownVariableType]
    if type(results) is list:
        return [_plain(part) for part in results]  # pyright: ignore[reportUnknownVariableType]
    return {key: _plain(part) for key, part in results.items()} if type(results) is dict else results  # pyright: ignore[reportUnknownVariableType]


def _without(value: Any, left_out: Iterator[torch.Tensor]) -> Any:
    """A tensor with zeros in place of the numbers that are left out."""
    if not isinstance(value, torch.Tensor) or (mask := next(left_out, None)) is None or mask.shape != value.shape:
        return value
    return value.masked_fill(mask.to(value.device), 0)


def _kept_at(tables: State, lifted: str) -> State:
    """Tables in the precision of a run."""
    return {name: tensor.double() if lifted and is_real(tensor) else tensor for name, tensor in tables.items()}


def _lifted(given: Any, setting: Setting, declared: str | None) -> str:
    """The precision that a run in float64 stands for; "" for a run as written."""
    native = [tensor.dtype for tensor in tensors_of((setting.state, setting.arguments)) if is_real(tensor)]
    now = [tensor.dtype for tensor in tensors_of(given) if is_real(tensor)]
    if torch.float64 not in now or torch.float64 in native:
        return ""
    return declared or str(max(native, key=lambda dtype: -torch.finfo(dtype).eps)).removeprefix("torch.")
