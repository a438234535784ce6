"""Elementary functions that `actual` writes out where `expected` calls them, and how far such an approximation may move the results.

A polynomial for float32 is not the function: what it leaves stays in float64. It is no other formula either, as long as it errs by no
more than a library may. A function that `actual` calls leaves no such room, so a small mistake beside it is seen as before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cases import Case
from ..cases.named import names_in
from ..floats import FLOAT32
from ..ops import OpRecord, record_of
from ..ops.deviation import SAMPLES
from .passes import OPS, Model, Unseen, passes_of
from .rules import OpError

CLOSE_ULPS = 4.0
"""Libraries write out functions for float32 to within so many ulps in the less accurate of their variants: 4 in Intel's SVML (LA), 3.5 in
SLEEF (u35). Bounds that leave more (16 for erf in OpenCL) leave it to the rounding of the evaluation, of which none is seen in float64."""


@dataclass(frozen=True, eq=False)
class Approximation:
    """The functions that one side writes out, and the room that they leave.

    Attributes:
        names: of the functions, as the table of ops has them. spreads: path of an output -> standard deviation, of its shape, where each of
            them errs by as much as a library may.
    """

    names: tuple[str, ...] = ()
    spreads: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)


class _Listening(OpError):
    """Notes of which library functions the rounding is asked."""

    def __init__(self) -> None:
        super().__init__(FLOAT32)
        self.asked: set[str] = set()

    def library(self, record: OpRecord) -> float:
        self.asked.add(record.name)
        return super().library(record)


class _Only(OpError):
    """Nothing rounds but some library functions."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(FLOAT32)
        self._float32 = OpError(FLOAT32)
        self._names = names
        self.storage_u, self.sum_u = 0.0, 0.0

    def library(self, record: OpRecord) -> float:
        if record.name not in self._names:
            return 0.0
        return self._float32.library(dataclasses.replace(record, ulps=min(record.ulps or 0.0, CLOSE_ULPS)))

    def underflow(self, values: Any) -> Any:  # noqa: ARG002  # as `Deviation` has it
        """No number is stored."""
        return None


def written_out(case: Case) -> frozenset[str]:
    """The elementary functions that `expected` calls, and `actual` has to make of other operations.

    Of NumPy code it is known which it names, and where it can't be looked at, which it can't call: NumPy has no error function.
    """
    called = _called(case, "expected")
    if not called:
        return frozenset()
    by_actual = _called(case, "actual")
    if by_actual is None:
        by_actual = names_in(case.actual.eager.function) or {name for name in called if hasattr(np, name)}
    has = {record_of(name).family for name in by_actual}
    return frozenset(name for name in called if record_of(name).family not in has)


def approximation(case: Case) -> Approximation:
    """How far each output moves if the functions that `actual` writes out are as inexact as those of a library for float32.

    In 16 bits too: kernels compute elementary functions in float32, and another function may be as close as 16 bits tell.
    """
    names = written_out(case)
    if not names:
        return Approximation()
    try:
        center, *samples = (outputs for _, outputs in passes_of(case, "expected", _model(SAMPLES), _untold, _Only(names)))
    except Unseen:
        return Approximation()
    spreads: dict[str, npt.NDArray[np.float64]] = {}
    for place, leaf in enumerate(center):
        if leaf.format is None or any(len(sample) != len(center) or sample[place].shape != leaf.shape for sample in samples):
            continue
        with np.errstate(invalid="ignore"):
            square = sum(np.square(sample[place].float64() - leaf.float64()) for sample in samples) / len(samples)
        spreads[leaf.path] = np.sqrt(np.where(np.isfinite(square), square, 0.0))
    return Approximation(tuple(sorted(names)), spreads)


def _called(case: Case, name: str) -> set[str] | None:
    """The elementary functions that a side calls; None where its ops can't be seen."""
    listening = _Listening()
    try:
        for _ in passes_of(case, name, _model(1), _untold, listening):  # formulas of whole ops ask in the sample
            pass
    except Unseen:
        return None
    return {name for name in listening.asked if record_of(name).family is not None}


def _model(samples: int) -> Model:
    return Model(FLOAT32, samples, True, False, product_loss=1.0, amplitude=1.0, profiles=False, rounds=OPS)


def _untold(done: int, total: int) -> None:
    """Nobody is told of these passes."""
