"""Other parameters: arguments of the constructor, and what a module holds."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import torch

from ..problems.calls import Setting, State, equal, is_real, leaves, same_arguments, seeded, with_leaves
from ..problems.comparisons import comparisons_in
from ..problems.problem import Problem
from ..problems.stand_in import on_processor
from .marks import MARKS, exchanged, whole_inputs
from .question import FAR_FROM_ZERO, FAR_MEAN, Question


def constructor_questions(problem: Problem, given: Setting) -> Iterator[Question]:
    """Other values for the constructor's defaults and numbers: a solution that ignores them shows only then."""
    names, whole = _named(problem, given)
    compared = list(comparisons_in(problem.text))
    axes = max((tensor.dim() for tensor in leaves(given.arguments)), default=0)
    for place, value in enumerate(whole):
        others: list[Any] = (
            [not value] if isinstance(value, bool) else [value / 8 or 0.1, value * 8, 0.0] if isinstance(value, float) else []
        )
        others += [COUNTING] if isinstance(value, float) and 0.0 < value < TOO_SMALL and GUARD.search(names[place]) else []
        if _is_whole(value) and place >= len(given.init):
            others = [value + 1, 2 * value + 1]
        is_axis = _is_whole(value) and AXIS.search(names[place]) is not None and -axes <= value < axes
        if is_axis:
            others = [*range(axes), *range(-1, -axes - 1, -1)]
        if value is None and any(names[place] in found.names and None in found.values for found in compared):
            others = [OWN]
        special = [_alike(case, value) for found in compared if names[place] in found.names for case in found.values]
        special += quoted(problem.text, names[place]) if isinstance(value, str) else []
        is_mark = MARKS.search(names[place]) is not None
        if isinstance(value, int) and not isinstance(value, bool) and (value < 0 or (is_mark and value > 0)):
            yield from _marked(names[place], whole, place, given)
        if _is_whole(value) and value == 0 and (is_mark or place < len(given.init)):
            yield from _left_out(names[place], whole, place, given)
        for other in dict.fromkeys(each for each in (*special, *others) if not same_arguments(each, value)):
            init = (*whole[:place], other, *whole[place + 1 :])
            label = f"{names[place]}={other} instead of {value}"
            # Zero is a case of its own: code that asks for a number by its truth takes it for none.
            is_zero = isinstance(other, float) and not other and other not in special
            of = "" if other in special or is_zero or is_axis else names[place]
            yield Question("parameters", label, replace(given, init=init), of=of, singular=is_zero)


GUARD = re.compile(r"eps|jitter|ridge|damp|smooth", re.IGNORECASE)
TOO_SMALL, COUNTING = 1e-3, 0.25
"""A number below the first that guards a division is too small to be seen in 16 bits; the second counts beside numbers of size one."""
QUOTED = r"[\"'][\w-]+[\"']"
"""One string in a text; names of modes have no spaces."""


def quoted(text: str, name: str) -> list[str]:
    """The strings that a text gives for a name, as in mode="a" or "mode: 'a' or 'b'"; one that no comparison names is meant by `else`."""
    values = rf"{QUOTED}(?:\s*(?:,\s*or\b|,|\bor\b|\|)\s*{QUOTED})*"
    given = re.finditer(rf"\b{re.escape(name)}\s*(?:=|:|is|in|one of)[\s({{\[]*(?P<values>{values})", text)
    return [value.strip("\"'") for found in given for value in re.findall(QUOTED, found["values"])]


CHANGED = "the values of every parameter and buffer changed"
OWN = 0.375
"""Replaces None, if the problem's code asks whether it got a number."""


def _alike(case: Any, value: Any) -> Any:
    """A case as a number of the same type as the value; the value itself if it is of another kind."""
    if isinstance(value, bool) or isinstance(case, bool):
        return value
    if isinstance(case, (int, float)) and isinstance(value, (int, float)):
        return type(value)(case)
    return case if case is None or (isinstance(case, str) and isinstance(value, str)) else value


def _named(problem: Problem, given: Setting) -> tuple[list[str], list[Any]]:
    """The names of the constructor arguments, and their values; empty if unknown."""
    try:
        names = list(inspect.signature(problem.constructor).parameters.values()) if problem.constructor is not None else []
    except (TypeError, ValueError):
        names = []
    whole = [*given.init, *(parameter.default for parameter in names[len(given.init) :])]
    known = len(whole) == len(names) and all(value is not inspect.Parameter.empty for value in whole)
    return ([parameter.name for parameter in names], whole) if known else ([], [])


def marks_of(problem: Problem, given: Setting) -> dict[int, str]:
    """The numbers that the constructor is given to mark inputs, in words; a blank is a class of results that no target has."""
    pairs = zip(*_named(problem, given))
    return {value: f"{value}, which is {name}" for name, value in pairs if MARKS.search(name) and "blank" not in name and _is_whole(value)}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


AXIS = re.compile(r"^(?:dim|axis)$")
"""Names of numbers that may be an axis, if they are small enough to be one."""


def _marked(name: str, whole: list[Any], place: int, given: Setting) -> Iterator[Question]:
    """Another number that marks what does not count, in the inputs as well."""
    for other, changed in exchanged(whole[place], given, named=MARKS.search(name) is not None):
        setting = replace(given, init=(*whole[:place], other, *whole[place + 1 :]), arguments=with_leaves(given.arguments, changed))
        yield Question("parameters", f"{name}={other} instead of {whole[place]}, in the inputs as well", setting)


def _left_out(name: str, whole: list[Any], place: int, given: Setting) -> Iterator[Question]:
    """Zero becomes one; a mark that the inputs avoid, as targets avoid the number of a blank, is avoided as well when it changes."""
    without = {at: tensor for at, tensor in whole_inputs(given).items() if MARKS.search(name) and tensor.numel() and int(tensor.min()) == 1}
    changed = {at: torch.where(tensor == 1, 0, tensor).to(tensor.dtype) for at, tensor in without.items()}
    setting = replace(given, init=(*whole[:place], 1, *whole[place + 1 :]), arguments=with_leaves(given.arguments, changed))
    yield Question("parameters", f"{name}=1 instead of 0{', and 0 instead of 1 in the inputs' if changed else ''}", setting)


def parameter_questions(
    given: Setting, seed: int, tables: Collection[str] = (), *, upwards: bool = False, ties: bool = False
) -> Iterator[Question]:
    """Other parameters: initial zeros and ones replaced, larger weights, running statistics that have moved.

    Args:
        tables: see `tables_of`. upwards: see `moved`. ties: whether the problem says which of equal ones counts.
    """
    if not given.state:
        return
    changes = {
        CHANGED: moved(given.state, seed, tables, upwards=upwards),
        "the values of every parameter and buffer changed, by other amounts": moved(
            moved(given.state, seed + 1, tables, upwards=upwards), seed + 2, tables, upwards=upwards
        ),
        "every parameter and buffer a hundred times larger": times(given.state, 100, tables),
        "every parameter and buffer twice as large": times(given.state, 2, tables),
    }
    if ties:
        changes["pairs of equal rows in every parameter and buffer"] = {
            name: _in_twos(tensor) if is_real(tensor) and tensor.dim() and name not in tables else tensor
            for name, tensor in given.state.items()
        }
    for label, state in changes.items():
        yield Question("parameters", label, replace(given, state=state))
    yield from itertools.islice(_far_biases(given, tables), len(changes))  # no more time than for all other changes


def _far_biases(given: Setting, tables: Collection[str]) -> Iterator[Question]:
    """Each bias far from zero: what is normalized after it has a large mean, however the inputs are drawn."""
    biases = {
        name: tensor
        for name, tensor in given.state.items()
        if BIAS.search(name) and is_real(tensor) and tensor.dim() == 1 and tensor.numel() > 1 and name not in tables
    }
    for name, tensor in biases.items():
        away = FAR_MEAN * max(1.0, float(tensor.double().std(correction=0)))
        yield Question("parameters", f"{name}: {FAR_FROM_ZERO}", replace(given, state={**given.state, name: tensor + away}))


BIAS = re.compile(r"bias|beta|shift|offset|(?:^|[._])b\d*$", re.IGNORECASE)
"""Parts of names of parameters that are added."""


def _in_twos(tensor: torch.Tensor) -> torch.Tensor:
    """Every second row along the first axis equals the one before: codes, or biases of experts, that are equally near."""
    places = torch.arange(tensor.shape[0])
    return tensor[places - places % 2]


def tables_of(problem: Problem, init: tuple[Any, ...], loaded: Callable[[Collection[str]], Collection[str]] = frozenset) -> frozenset[str]:
    """The buffers computed from constructor arguments: filters, angles, masks. They are not trained, and a solution may know them.

    They don't depend on random numbers, and are not all alike, as initial running statistics and scales are.

    Args:
        loaded: which of the buffers that a module stores may hold something else, see `Stated.loaded`.
    """
    if problem.constructor is None:
        return frozenset()
    built: list[Any] = []
    try:
        for seed in (0, 1):
            with seeded(seed), on_processor(problem.text):
                built.append(problem.constructor(*init))
        first, second = (dict(module.named_buffers()) for module in built)
    except Exception:  # whatever a constructor raises, and what is no module
        return frozenset()
    alike = {name for name in first.keys() & second.keys() if first[name].shape == second[name].shape and equal(first[name], second[name])}
    changing = set(loaded(first.keys() & built[0].state_dict().keys()))
    several = [name for name in alike - changing if first[name].numel() > 1]
    return frozenset(name for name in several if bool((first[name] != first[name].reshape(-1)[0]).any()))


COUNTS = re.compile(r"step|count|num_|iter|epoch", re.IGNORECASE)
"""Parts of names of numbers that count calls, and stay whole although they are floating."""


def times(state: State, factor: int, tables: Collection[str]) -> State:
    """Parameters and buffers multiplied by a number; `tables` stay."""
    return {name: tensor * factor if is_real(tensor) and name not in tables else tensor for name, tensor in state.items()}


def moved(state: State, seed: int, tables: Collection[str] = (), *, upwards: bool = False) -> State:
    """Parameters and buffers plus noise as large as they are, or of at least a half if they are all alike; variances stay positive.

    Integers (codes of weights, zero points, tables of indices) stay within their range: they change places, or become one less if they are
    all alike. What is sorted, counts, or masks stays as it is, and so do `tables`.

    Args:
        upwards: numbers that are not negative become larger, as mean squares that start at zero do.
    """
    generator = torch.Generator().manual_seed(seed)
    found: State = {}
    for name, tensor in state.items():
        if name in tables:
            found[name] = tensor
            continue
        if not is_real(tensor) or not tensor.numel():
            found[name] = _exchanged(tensor)
            continue
        if tensor.numel() == 1 and COUNTS.search(name) and bool(tensor == tensor.round()):
            found[name] = tensor + 3
            continue
        noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        wide = tensor.double()
        is_flat = tensor.numel() > 1 and bool((tensor == tensor.reshape(-1)[0]).all())
        size = 0.5 if is_flat or tensor.numel() == 1 else float(wide.std())
        changed = wide + size * (noise.abs() if upwards and bool((wide >= 0).all()) else noise)
        if bool((wide > 0).all()) and "var" in name:
            changed = wide * torch.exp(0.5 * noise)
        found[name] = changed.to(tensor.dtype)
    return found


def _exchanged(tensor: torch.Tensor) -> torch.Tensor:
    """Integers at other places; unchanged where that would mean something else."""
    flat = tensor.reshape(-1)
    if tensor.dtype is torch.bool or tensor.is_complex() or flat.numel() < 2:
        return tensor
    steps = flat.to(torch.int64).diff()
    if bool((steps == 0).all()):
        return tensor - 1 if int(flat[0]) > 0 else tensor
    return tensor if bool((steps >= 0).all()) else flat.flip(0).reshape(tensor.shape)
