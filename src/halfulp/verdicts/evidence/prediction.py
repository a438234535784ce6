"""What a guess predicts of the error, on the given inputs and where rounding is drawn anew."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from ...cases import GIVEN, Case, Change, Inputs, Run, Unavailable, Variant
from ...floats import Format
from ...noise import Noise, run_under
from .coarse import Coarse, coarsened

FloatArray = npt.NDArray[np.float64]


class Guess(NamedTuple):
    """A format and the mode that rounds to it; with `stored`, data are rounded to that format too.

    All of them, `only` these weights, or `of` one kind: "weights", or the input of that number.
    """

    target: Format
    mode: Coarse
    stored: Format | None
    only: frozenset[str] | None = None
    of: str | int | None = None


class Share(NamedTuple):
    """What a hypothesis makes of an error.

    Attributes:
        explained: share of the error's square sum, in units of the noise, that is gone once the prediction is subtracted as it is.
        slope: of the error on the prediction. correlated: the share that is gone with that slope.
        size: of the prediction, as a part of the error's; 0 where nothing can be predicted.
    """

    explained: float = 0.0
    slope: float = 0.0
    correlated: float = 0.0
    size: float = 0.0

    @property
    def measured(self) -> dict[str, float]:
        """What an answer says of it."""
        return {"explained": self.explained, "slope": self.slope, "correlated": self.correlated}


GUESSES = 64
"""About so many combinations of format and place are tried."""


PART = 0.1
"""Least share of an error that one place of rounding has to make up, as a function of the inputs: one of ten alike. Another formula's error
goes along with a guess by 0.011 at most (`benchmarks/verdicts/calibrate.py`, section "formats that were seen"), so that where the format's
numbers were seen as well, this is enough to name it."""


CHANCE = 4.6
"""Standard deviations of a correlation by chance that none of GUESSES, looked at three times each, reaches with a probability of
`FALSE_ALARM`: the normal quantile of FALSE_ALARM / (3 GUESSES) on both sides, rounded up."""


def explained(case: Case, noise: Noise, guess: Guess) -> Share:
    """What rounding in one place in one format predicts of the error."""
    error, shift = case.remembered(_ErrorIn(noise)), _shift(case, noise, guess, GIVEN)
    if error is None or shift is None:
        return Share()
    usable = np.isfinite(error) & np.isfinite(shift)
    if not usable.all():
        error, shift = error[usable], shift[usable]
    # Not `@`: the BLAS keeps its threads spinning, and they slow down PyTorch's.
    cross, square, predicted = (float(np.einsum("i,i->", *pair)) for pair in ((error, shift), (error, error), (shift, shift)))
    if not square or not predicted:
        return Share()
    correlated = max(0.0, cross) ** 2 / (square * predicted)
    share = max(0.0, 1.0 - (square - 2.0 * cross + predicted) / square)
    return Share(share, cross / predicted, correlated, math.sqrt(predicted / square))


@dataclass(frozen=True)
class _ErrorIn:
    """The error on the given inputs, in units of a noise: the same for all guesses."""

    noise: Noise

    def __call__(self, case: Case) -> FloatArray | None:
        return _error(case, self.noise, GIVEN)


LOOKS = (3, 5, 8)
"""Inputs on which a correlation is looked at: a clear one after three, any other after eight."""


def redrawn_correlation(case: Case, noise: Noise, guess: Guess) -> float:
    """How far error and prediction go together when rounding is drawn anew, in standard deviations of chance.

    Of both, what is the same on all inputs is taken off: another formula's error is that, and so is what rounded weights do; whatever two
    such things have in common is chance of a single draw, however many results there are.
    """
    deviations = 0.0
    for draws in LOOKS:
        errors = [_error(case, noise, _draw(k)) for k in range(draws)]
        usable = [
            k for k, error in enumerate(errors) if error is not None and error.size == (errors[0] if errors[0] is not None else error).size
        ]
        if len(usable) < 2 or not _is_redrawn(np.stack([errors[k] for k in usable])):  # type: ignore[arg-type]
            return 0.0
        found = [_shift(case, noise, guess, _draw(k)) for k in usable]
        pairs = [(errors[k], shift) for k, shift in zip(usable, found) if shift is not None]
        if len(pairs) < 2:
            return 0.0
        apart, shifts = (np.stack(part) for part in zip(*pairs))  # type: ignore[arg-type]
        usable_in_all = np.isfinite(apart).all(0) & np.isfinite(shifts).all(0)
        apart, shifts = np.where(usable_in_all, apart, 0.0), np.where(usable_in_all, shifts, 0.0)
        products = (apart - apart.mean(0)) * (shifts - shifts.mean(0))
        # With independent signs products add up to the root of their squares' sum; n draws less their mean hold n - 1 independent ones.
        size = math.sqrt(float(np.sum(products**2)) * len(pairs) / (len(pairs) - 1))
        deviations = float(np.sum(products)) / size if size else 0.0
        if deviations >= CHANCE:
            break
    return deviations


def _draw(k: int) -> Inputs:
    return Inputs(Change.MOVED_WIDELY, k)


def _is_redrawn(errors: FloatArray) -> bool:
    """Whether a part of the error changes with the inputs; what doesn't follows them, as rounded weights do."""
    errors = np.where(np.isfinite(errors), errors, 0.0)
    return float(np.sum((errors - errors.mean(0)) ** 2)) >= PART * float(np.sum(errors**2))


def _error(case: Case, noise: Noise, inputs: Inputs) -> FloatArray | None:
    """The error of `actual` in units of the noise, NaN where there is none; None where a side does not run so."""
    actual = case.native("actual") if inputs == GIVEN else case.run("actual", Variant(inputs=inputs))
    if not isinstance(actual, Run):
        return None
    return _in_noise(case, noise, inputs, {leaf.path: leaf.float64() for leaf in actual.outputs})


def _shift(case: Case, noise: Noise, guess: Guess, inputs: Inputs) -> FloatArray | None:
    """What a hypothesis predicts of it, likewise."""
    known = {} if case.known is None else case.known.facts
    key = (guess.mode.options, guess.stored, guess.only, guess.of, inputs)
    values = known[key] if key in known else _guessed(case, guess, inputs)
    if values is None:
        return None
    known[key] = values
    return _in_noise(case, noise, inputs, values, lost=True)


def _guessed(case: Case, guess: Guess, inputs: Inputs) -> dict[str, FloatArray] | None:
    """What `expected` gives with some numbers in a coarser format; None where it doesn't run so: then that is not tested."""
    stored, only = guess.stored, guess.only
    seen = 0

    def change(value: torch.Tensor) -> torch.Tensor:
        nonlocal seen
        seen += 1
        assert stored is not None
        return coarsened(value, stored) if not isinstance(guess.of, int) or seen - 1 == guess.of else value

    inputs_too = only is None and guess.of != "weights"
    only = frozenset[str]() if isinstance(guess.of, int) else only
    try:
        outputs = run_under(case, "expected", guess.mode, change if stored is not None else None, inputs, inputs_too=inputs_too, only=only)
    except Exception:
        return None
    return {leaf.path: leaf.float64() for leaf in outputs}


def _in_noise(case: Case, noise: Noise, inputs: Inputs, values: dict[str, FloatArray], *, lost: bool = False) -> FloatArray | None:
    """How far values are from what `expected` gives in float64, in units of the noise, output by output in one row.

    Args:
        lost: whether zeros say nothing: where a format leaves nothing of a result, whatever else leaves nothing is "reproduced".
    """
    exact = case.run("expected", Variant(case.finest, inputs)) if inputs != GIVEN else None
    if isinstance(exact, Unavailable):
        return None
    references = {leaf.path: leaf.float64() for leaf in exact.outputs} if exact is not None else {}
    parts: list[FloatArray] = [np.zeros(0)]
    for leaf in case.native("actual").outputs:
        spread, value = noise.leaves.get(leaf.path), values.get(leaf.path)
        if leaf.format is None or spread is None or spread.shape != leaf.stored.shape:
            continue
        reference: Any = references.get(leaf.path, spread.reference)
        if value is None or value.shape != reference.shape or reference.shape != spread.shape:
            parts.append(np.full(leaf.stored.size, np.nan))
            continue
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            apart = value.reshape(-1) - reference.reshape(-1)
            apart /= spread.spread.reshape(-1)
        if lost:
            apart[((value == 0) & (reference != 0)).reshape(-1)] = np.nan
        apart[~np.isfinite(apart)] = np.nan
        parts.append(apart)
    return np.concatenate(parts)
