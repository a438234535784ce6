"""Large results in parts: products and elementwise ops are judged a slice at a time, so that memory stays bounded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..floats import widen
from ..ops import record_of
from ..ops.arithmetic import EXACT, Array, Direct
from ..ops.evaluation import Unknown
from ..traces import Ref, Step
from .values import Values, evaluate
from .versions import Evaluation

LARGE = 1 << 22
"""Elements from which an op is looked at in parts: 32 MiB in float64, of which a judgement needs about eight at a time."""


class Part(NamedTuple):
    """A slice of a result along one axis: where it is, what is predicted for it, and its spread."""

    axis: int
    start: int
    stop: int
    prediction: Array
    spread: Array


def is_large(evaluation: Evaluation) -> bool:
    """Whether an op is better looked at in parts."""
    values = evaluation.around.expected.values
    if len(evaluation.step.outputs) == 1 and evaluation.is_view(0):
        return False
    numbers = (*evaluation.step.inputs, *(output for output in evaluation.step.outputs if output is not None))
    return any(values[number].elements > LARGE for number in numbers)


def parts_of(evaluation: Evaluation) -> Iterator[Part]:
    """The parts of an op's only output, one after another.

    Raises:
        Unknown: the op, or what it reads, can't be had in parts.
    """
    step, around = evaluation.step, evaluation.around
    outputs = [output for output in step.outputs if output is not None]
    if len(outputs) != 1 or not evaluation.is_plain:
        raise Unknown("it has several outputs, or some of its inputs were not recorded")
    shape = around.expected.values[outputs[0]].shape
    rule = _rule_of(step, shape, evaluation)
    length = shape[rule.axis]
    step_length = max(1, LARGE * length // max(1, rule.elements))
    for start in range(0, length, step_length):
        stop = min(length, start + step_length)
        part, number = rule.cut(start, stop)
        direct = Direct(around.format_of(outputs[0]))
        prediction = evaluate(part, number, EXACT)[0]
        evaluate(part, number, direct)
        if prediction is None:
            raise Unknown(f"there is no formula for part of the result of {step.op}")
        yield Part(rule.axis, start, stop, prediction, spread=direct.spread(prediction.shape))


def cut_of(values: Values, number: int, part: Part) -> Array:
    """The same slice of a recorded value."""
    return _slice(values, number, part.axis, part.start, part.stop)


class _Rule(NamedTuple):
    axis: int
    elements: int
    cut: Callable[[int, int], tuple[Step, Callable[[int], Array]]]


def _rule_of(step: Step, shape: tuple[int, ...], evaluation: Evaluation) -> _Rule:
    values = evaluation.around.expected.values
    record = record_of(step.name)
    largest = max(values[number].elements for number in (*step.inputs, *(n for n in step.outputs if n is not None)))
    if record.rows and len(shape) == 2 and all(isinstance(argument, Ref) for argument in step.arguments):
        axis = 0 if shape[0] >= shape[1] else 1
        *addend, first, second = (argument.number for argument in step.arguments)
        cut_axes = {(first if axis == 0 else second): axis}
        for item in addend:
            own = values[item].shape
            if len(own) == 2 and own[axis] == shape[axis]:
                cut_axes[item] = axis
            elif len(own) == 1 and axis == 1 and own[0] == shape[1]:
                cut_axes[item] = 0
        return _Rule(axis, largest, lambda start, stop: (step, _cutter(evaluation, cut_axes, start, stop)))
    if record.cut and shape:
        cut_axes = {source: 0 for source in step.inputs if values[source].shape == shape}
        if any(values[source].shape not in (shape, ()) for source in step.inputs):
            raise Unknown("its operands have different shapes")
        return _Rule(0, largest, lambda start, stop: (step, _cutter(evaluation, cut_axes, start, stop)))
    if step.name == "embedding_dense_backward":
        return _Rule(0, largest, lambda start, stop: _rows_of_embedding(step, evaluation, start, stop))
    if step.name == "embedding":
        return _Rule(0, 1, lambda *_: _embedded(step, evaluation))
    raise Unknown(f"{step.op} can't be evaluated in parts")


def _cutter(evaluation: Evaluation, cut_axes: dict[int, int], start: int, stop: int) -> Callable[[int], Array]:
    def number(n: int) -> Array:
        return _part(evaluation, n, cut_axes[n], start, stop) if n in cut_axes else evaluation.input(n)

    return number


def _part(evaluation: Evaluation, number: int, axis: int, start: int, stop: int) -> Array:
    """A slice of what an op reads; of a transposed view the slice of what it is a view of."""
    around, version = evaluation.around, evaluation.versions[number]
    if version.number is not None:
        return _slice(around.actual_values, version.number, axis, start, stop)
    if version.made_by is not None and not version.identical:
        made_by = version.made_by[0]
        if not _is_transparent(made_by.step, around.expected.values[number].elements):
            return _cut(evaluation.input(number), axis, start, stop)
        return _through(made_by.step, lambda n, a: _part(made_by, n, a, start, stop), axis)
    return _slice_of_view(around.expected_values, number, axis, start, stop)


def _slice_of_view(values: Values, number: int, axis: int, start: int, stop: int) -> Array:
    if values.trace.values[number].is_complete:
        return _slice(values, number, axis, start, stop)
    producer = values.trace.producers.get(number)
    if producer is None:
        raise Unknown("a value was not stored")
    if not _is_transparent(producer, values.trace.values[number].elements):
        return _cut(values.number(number), axis, start, stop)
    return _through(producer, lambda n, a: _slice_of_view(values, n, a, start, stop), axis)


def _is_transparent(view: Step, elements: int) -> bool:
    """Whether a slice of a view is a slice of what it is a view of; what is small enough may be had whole instead.

    Raises:
        Unknown: neither.
    """
    if record_of(view.name).transparent:
        return True
    if elements > LARGE:
        raise Unknown(f"it needs part of the result of {view.op}")
    return False


def _cut(whole: Array, axis: int, start: int, stop: int) -> Array:
    return whole[start:stop] if axis == 0 else whole[:, start:stop]


def _through(view: Step, part: Callable[[int, int], Array], axis: int) -> Array:
    if view.name == "t" and len(view.inputs) == 1:
        return part(view.inputs[0], 1 - axis).T
    return part(view.inputs[0], axis)


def _slice(values: Values, number: int, axis: int, start: int, stop: int) -> Array:
    value = values.trace.values[number]
    if not value.is_complete:
        return _slice_of_view(values, number, axis, start, stop)
    if axis == 0:
        found = values.trace.rows(number, start, stop)
        return widen(found) if found.dtype.kind == "f" else found
    if value.elements > LARGE:
        raise Unknown("it needs columns of a large value")
    return values.number(number)[:, start:stop]


def _rows_of_embedding(step: Step, evaluation: Evaluation, start: int, stop: int) -> tuple[Step, Callable[[int], Array]]:
    grad, places, _, padding, by_frequency = step.arguments

    def number(n: int) -> Array:
        found = evaluation.input(n)
        if n != places.number:
            return found
        return np.where((found >= start) & (found < stop) & (found != padding), found - start, -1)

    return dataclasses.replace(step, arguments=(grad, places, stop - start, -1, by_frequency)), number


def _embedded(step: Step, evaluation: Evaluation) -> tuple[Step, Callable[[int], Array]]:
    """Only the rows that are looked up."""
    weight, places = step.arguments[0].number, evaluation.input(step.arguments[1].number)
    rows, inverse = np.unique(places, return_inverse=True)
    table = np.concatenate([_part(evaluation, weight, 0, int(row), int(row) + 1) for row in rows])
    given = {weight: table, step.arguments[1].number: inverse.reshape(places.shape)}
    return step, lambda n: given[n]
