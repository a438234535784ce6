"""Replaying recorded ops: an op's formula on other numbers than those that it was recorded with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops import bounded
from ..ops.arithmetic import EXACT, Array, Exact
from ..ops.evaluation import Unknown, run_formula
from ..ops.formulas import formula_of
from ..traces import Ref, Step, Trace

CACHE_BYTES = 96 << 20
"""Values of one trace that are kept in memory; others are read again from their memory map."""


def evaluate(step: Step, number: Callable[[int], Any], fl: Exact = EXACT) -> list[Array | None]:
    """What an op gives on the values that `number` returns for its inputs, one entry per entry of `step.outputs`.

    Raises:
        Unknown: there is no formula, it does not fit the way in which the op was called, or it would take more memory than the traces
            account for (`bounded.limited`).
    """
    arguments = [_filled(argument, number) for argument in step.arguments]
    keywords = {key: _filled(keyword_, number) for key, keyword_ in step.keywords.items()}
    outputs = run_formula(step.name, arguments, keywords, fl, called=step.op)
    return (outputs + [None] * len(step.outputs))[: len(step.outputs)]


def _filled(tree: Any, number: Callable[[int], Any]) -> Any:
    if isinstance(tree, Ref):
        return number(tree.number)
    return [_filled(part, number) for part in tree] if isinstance(tree, list) else tree


class Values:
    """The values of a trace as float64 (integers as they are): stored ones are read, views are made of what they are views of."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._cache: OrderedDict[int, Array] = OrderedDict()
        self._cached_bytes = 0
        self._known: dict[int, bool] = {}

    def known(self, number: int) -> bool:
        """Whether `number` can be had."""
        waiting = [number]
        while waiting:
            top = waiting[-1]
            value, producer = self.trace.values[top], self.trace.producers.get(top)
            if value.is_complete or not value.elements:
                self._known[top] = True
            elif top not in self._known:
                self._known[top] = False  # also for what is made of itself
                if not value.hash and producer is not None and formula_of(producer.name) is not None:
                    waiting += [source for source in dict.fromkeys(producer.inputs) if source not in self._known]
                    continue
            elif producer is not None and not value.hash and formula_of(producer.name) is not None:
                self._known[top] = all(self._known[source] for source in producer.inputs)
            waiting.pop()
        return self._known[number]

    def number(self, number: int) -> Array:
        """The elements of a value, of its shape.

        Raises:
            Unknown: they are neither stored nor a view of something stored. TraceError: the file is damaged.
        """
        cached = self._cache.get(number)
        if cached is not None:
            self._cache.move_to_end(number)
            return cached
        value = self.trace.values[number]
        try:
            bounded.checked(bounded.extent(value.shape))  # a sparse file holds more than it takes
        except bounded.TooLarge as error:
            raise Unknown(f"value {number}: {error}") from error
        if value.is_complete:
            found = self.trace.numbers(number)
        elif not value.elements:
            found = np.zeros(value.shape)
        else:
            producer = self.trace.producers.get(number)
            if value.hash or producer is None:
                raise Unknown(f"the elements of value {number} were not stored")
            try:
                outputs = evaluate(producer, self.number)
            except RecursionError as error:
                raise Unknown(f"value {number} is made by too long a chain of ops whose results were not stored") from error
            found = outputs[producer.outputs.index(number)]
            if found is None or found.shape != value.shape:
                raise Unknown(f"value {number} can't be made from what {producer.op} reads")
        self._keep(number, found)
        return found

    def _keep(self, number: int, array: Array) -> None:
        self._cache[number] = array
        self._cached_bytes += array.nbytes
        while self._cached_bytes > CACHE_BYTES and len(self._cache) > 1:
            _, dropped = self._cache.popitem(last=False)
            self._cached_bytes -= dropped.nbytes
