"""Replaying recorded ops: an op's formula on other numbers than those that it was recorded with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..traces import Ref, Step, Trace
from .arithmetic import EXACT, Array, Exact
from .formulas import formula_of

CACHE_BYTES = 96 << 20
"""Values of one trace that are kept in memory; others are read again from their memory map."""

_NOT_ARGUMENTS = ("out", "memory_format", "layout", "device", "pin_memory", "non_blocking", "generator", "implicit")


class Unknown(Exception):
    """An op that has no formula, or a value that was not stored; the text says which."""


def evaluate(step: Step, number: Callable[[int], Any], fl: Exact = EXACT) -> list[Array | None]:
    """What an op gives on the values that `number` returns for its inputs, one entry per entry of `step.outputs`.

    Raises:
        Unknown: there is no formula, or it does not fit the way in which the op was called.
    """
    formula = formula_of(step.name)
    if formula is None:
        raise Unknown(f"no formula for {step.op}")
    try:
        arguments = [_filled(each, number) for each in step.arguments]
        keywords = {key: _filled(each, number) for key, each in step.keywords.items() if key not in _NOT_ARGUMENTS}
        with np.errstate(all="ignore"):
            result = formula(fl, *arguments, **keywords)
    except Unknown:
        raise
    except Exception as error:  # a formula written for another overload: whatever it trips over, the answer is that it does not fit
        raise Unknown(f"the formula of {step.op} does not fit this call ({type(error).__name__}: {str(error)[:80]})") from error
    if result is None:
        raise Unknown(f"no formula for this use of {step.op}")
    flat = list(result) if isinstance(result, tuple) else [result]
    outputs: list[Array | None] = [None if each is None else np.asarray(each) for each in flat]
    if any(each is not None and each.dtype.kind not in "biufc" for each in outputs):
        raise Unknown(f"the formula of {step.op} does not fit this call")
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

    def known(self, number: int) -> bool:
        """Whether `number` can be had."""
        value = self.trace.values[number]
        if value.is_complete or not value.elements:
            return True
        producer = self.trace.producers.get(number)
        if value.hash or producer is None or formula_of(producer.name) is None:
            return False
        return all(self.known(each) for each in producer.inputs)

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
        if value.is_complete:
            found = self.trace.numbers(number)
        elif not value.elements:
            found = np.zeros(value.shape)
        else:
            producer = self.trace.producers.get(number)
            if value.hash or producer is None:
                raise Unknown(f"the elements of value {number} were not stored")
            outputs = evaluate(producer, self.number)
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
