"""A second look where the whole is within rounding: is each module by itself?

One layer of many in TF32 or bfloat16 is lost in what the others make of rounding. Where both sides are modules of the same structure, each
pair of modules is run on the inputs that `actual` gave its own, once; only pairs that differ by more than honest kernels do are judged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

from ...cases import NATIVE, Case
from ...cases.sides import repeatable
from ...differences import Leaf, leaves_of
from ...differences.excess import root_mean_square
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
JUDGED = 3
"""Of so many modules, those that are furthest off."""


class Unit(NamedTuple):
    """A pair of modules that stand in one place.

    Attributes:
        path: of both. given: the arguments that `actual` gave its own. apart: how far their results are, relative, rms.
    """

    path: str
    actual: nn.Module
    expected: nn.Module
    given: tuple[Any, dict[str, Any]]
    apart: float


def inside(case: Case, judge: Callable[[Case], Any]) -> Evidence | None:
    """The module whose own error is no rounding; None where no two modules stand in one place, or none is off.

    Args:
        judge: gives the result of checking another case.
    """
    for unit in suspicious(case):
        inner = Case(unit.actual, unit.expected, unit.given[0], keywords=unit.given[1], declared=case.declared.name, seed=case.seed)
        result = judge(inner)
        if result.acceptable is False:
            measured = {"module": unit.path, "verdict": result.verdict.name, "why": result.reason}
            return Evidence("inside", F.BEYOND, measured=measured)
    return None


def suspicious(case: Case) -> list[Unit]:
    """The modules whose results on the same inputs are further apart than honest kernels', worst first."""
    actual, expected = case.actual.function, case.expected.function
    if not isinstance(actual, nn.Module) or not isinstance(expected, nn.Module) or case.declared.name != "float32":
        return []
    places = {path: pair for path, pair in _places(actual, expected).items() if path}
    calls: dict[str, list[tuple[tuple[Any, dict[str, Any]], Any]]] = {}
    side = case.actual
    arguments, keywords = case.arguments(side, NATIVE)
    handles: list[Any] = []
    try:
        for path, (own, _) in places.items():

            def note(_: Any, given: Any, named: Any, result: Any, path: str = path) -> None:
                calls.setdefault(path, []).append(((given, dict(named)), result))

            handles.append(own.register_forward_hook(note, with_kwargs=True))
        with torch.no_grad(), side.unchanged(), repeatable(case.seed):
            side.function(*arguments, **keywords)
    except Exception:  # it ran before; a module that refuses hooks is not looked into
        return []
    finally:
        for handle in handles:
            handle.remove()
    found: list[Unit] = []
    with torch.no_grad(), case.expected.unchanged(), repeatable(case.seed):
        for path, (own, other) in places.items():
            if len(calls.get(path, ())) != 1:
                continue
            given, result = calls[path][0]
            try:
                apart = _apart(leaves_of(result), leaves_of(other(*given[0], **given[1])))
            except Exception:  # another signature: no counterpart
                continue
            if apart > limits.SUSPICIOUS * case.declared.unit_roundoff:
                found.append(Unit(path, own, other, given, apart))
    return sorted(found, key=lambda unit: -unit.apart)[:JUDGED]


def _places(actual: nn.Module, expected: nn.Module, path: str = "") -> dict[str, tuple[nn.Module, nn.Module]]:
    """The innermost modules that stand in one place on both sides: leaves, and those of another type or with other children."""
    inner, peers = dict(actual.named_children()), dict(expected.named_children())
    if not peers or type(actual) is not type(expected) or inner.keys() != peers.keys():
        return {path: (actual, expected)}
    found: dict[str, tuple[nn.Module, nn.Module]] = {}
    for name, module in inner.items():
        found |= _places(module, peers[name], f"{path}.{name}".lstrip("."))
    return found


def _apart(actual: list[Leaf], expected: list[Leaf]) -> float:
    """The largest relative rms difference of two results; 0.0 where they have other structures."""
    largest = 0.0
    for own, other in zip(actual, expected):
        if own.format is None or other.format is None or own.shape != other.shape:
            continue
        values, reference = own.float64(), other.float64()
        size = root_mean_square(reference)
        largest = max(largest, root_mean_square(values - reference) / size if size else 0.0)
    return largest
