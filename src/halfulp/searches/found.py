"""Found: the worst inputs that were met so far, and the trial that measures others against them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..cases import Case, Deadline, OutOfTime, Run
from ..cases.deadline import now
from ..errors import HalfulpError, RunError
from ..noise import DATA, LeafNoise, Noise, noise_of, residual_of_leaf, widened

NEWS = 2.0
"""How much worse inputs have to be than the worst for another check. Between them the measured excess is enough to climb by."""


@dataclass(frozen=True)
class Found:
    """Inputs, and how far `actual` is off there.

    Attributes:
        inputs: the tuple of arguments. label: how they were made, in words.
        excess: times the limit of correct rounding; infinite where something moved that rounding can't move.
    """

    inputs: tuple[Any, ...]
    label: str
    excess: float


class RefusedAlone(HalfulpError):
    """`actual` fails on inputs that `expected` takes."""


class OutOfBudget(Exception):  # an end, no error
    """The time or the evaluations are used up, or enough was found."""


class Trial:
    """Measures inputs, and keeps the worst.

    Args:
        case_on: makes the case for given inputs. seconds: the time that it has. most: how many inputs it may measure.
            enough: the excess beyond which it ends.
        acceptable: asked of inputs that are beyond the limit, before they become the worst: whether the verdict is acceptable all the same
            (a jump, an algorithm's tolerable loss). progress: told how far it is.

    Attributes:
        first: the excess of the first inputs. worst: of all that were measured; None before the first.
        confirmed: the worst that was asked about, and is not acceptable; None where there is none. pending: what is being asked about.
        evaluations: how many inputs were measured. refused: on how many a side failed. refused_alone: on how many `actual` failed, and
            `expected` did not. refusal: how it failed on the first of these.
    """

    def __init__(
        self,
        case_on: Callable[[tuple[Any, ...]], Case],
        *,
        seconds: float = math.inf,
        most: float = math.inf,
        enough: float = math.inf,
        acceptable: Callable[[Case], bool] = lambda _: False,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.case_on, self.most, self.enough, self.acceptable, self.progress = case_on, most, enough, acceptable, progress
        self.first = 0.0
        self.worst: Found | None = None
        self.confirmed: Found | None = None
        self.pending: Found | None = None
        self.evaluations = self.refused = self.refused_alone = 0
        self.refusal = ""
        self._deadline = Deadline(now() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self._deadline.left()

    def measure(self, inputs: tuple[Any, ...], label: str, *, where_defined: bool = False) -> float:
        """How far `actual` is off on these inputs; 0 where they can't be judged.

        Args:
            inputs, label: see `Found`. where_defined: whether inputs on which `expected` gives NaN or infinities count as refused.

        Raises:
            OutOfBudget: before the measurement, where there is no time for it, none is left of their number, or enough was found.
        """
        if self.left <= 0 or self.evaluations >= self.most or (self.worst is not None and self.worst.excess > self.enough):
            raise OutOfBudget
        self.evaluations += 1
        try:
            case = self.case_on(inputs)
            if self.evaluations > 1:  # the first inputs are measured in any case
                case.deadline = self._deadline
            if where_defined and not is_defined(case):
                raise RunError("`expected` gives NaN or infinities")
            excess = excess_of(case)
            if excess > 1.0 and self._is_news(excess):
                self.pending = Found(inputs, label, excess)
                is_acceptable = self.acceptable(case)
                self.confirmed = self.confirmed if is_acceptable else self.pending
                excess, self.pending = 1.0 if is_acceptable else excess, None
        except OutOfTime:
            self.pending = None
            raise OutOfBudget from None
        except HalfulpError as error:  # sizes that the weights don't have, an empty axis without a maximum
            self.refused, self.pending = self.refused + 1, None
            if isinstance(error, RefusedAlone):
                self.refused_alone += 1
                self.refusal = self.refusal or f"{label}: {error}"
            return 0.0
        if self.evaluations == 1:
            self.first = excess
        if self.worst is None or excess > self.worst.excess:
            self.worst = Found(inputs, label, excess)
        return excess

    def takes_a_round(self) -> bool:
        """Whether there is budget for a round of single numbers, which counts as one of the inputs."""
        if self.left <= 0 or self.evaluations >= self.most:
            return False
        self.evaluations += 1
        return True

    def _is_news(self, excess: float) -> bool:
        """Whether it is worth a whole check: the first beyond the limit, and then whatever is much worse."""
        return self.worst is None or self.worst.excess <= 1.0 or excess > NEWS * self.worst.excess


def excess_of(case: Case) -> float:
    """How many times the limit of correct rounding `actual` is off; as `check` says it, from as few samples as tell it.

    Raises:
        RefusedAlone: `actual` fails, and `expected` does not. HalfulpError: `expected` fails.
    """
    try:
        actual, expected = case.native("actual"), case.native("expected")
    except RunError as error:  # of either side, because each is watched while the other runs
        if _runs(case):
            raise RefusedAlone(str(error).partition("\n")[0][:200]) from error
        raise
    if _mixed(actual, expected):
        return math.inf

    def within(noise: Noise) -> bool:
        return _largest(actual, widened(noise, expected)) <= 1.0

    return _largest(actual, widened(noise_of(case, rounds=DATA, enough=within), expected))


def is_defined(case: Case) -> bool:
    """Whether `expected` gives nothing but finite numbers: a softmax of nothing is NaN, and other results are as good there.

    Raises:
        HalfulpError: `expected` fails.
    """
    import numpy as np

    return all(leaf.format is None or bool(np.isfinite(leaf.float64()).all()) for leaf in case.native("expected").outputs)


def _runs(case: Case) -> bool:
    """Whether `expected` runs, with nothing beside it."""
    expected = case.expected.function
    try:
        Case(expected, expected, case.inputs, keywords=dict(case.keywords) or None).native("expected")
    except HalfulpError:
        return False
    return True


def _mixed(actual: Run, expected: Run) -> bool:
    """Whether the sides have results of other shapes, or one has numbers or another infinity where the other has infinities or NaN."""
    import numpy as np

    if [(leaf.path, leaf.shape) for leaf in actual.outputs] != [(leaf.path, leaf.shape) for leaf in expected.outputs]:
        return True
    for leaf, peer in zip(actual.outputs, expected.outputs):
        if leaf.format is None or peer.format is None:
            continue
        own, other = leaf.float64(), peer.float64()
        odd = ~(np.isfinite(own) & np.isfinite(other))
        if not np.array_equal(own[odd], other[odd], equal_nan=True):
            return True
    return False


def _largest(actual: Run, noise: Noise) -> float:
    """The largest excess of all outputs."""
    found = [0.0]
    for leaf in actual.outputs:
        known = noise.leaves.get(leaf.path)
        if known is None or known.shape != leaf.stored.shape:
            continue
        if leaf.format is None:
            found.append(math.inf if _moved(leaf.float64(), known) else 0.0)
            continue
        found.append(residual_of_leaf(leaf, known).excess(noise.degrees).of_limit)
    return max(value for value in found if not math.isnan(value))


def _moved(values: Any, known: LeafNoise) -> bool:
    """Whether an integer is another one where no sample of rounding changed it."""
    return bool(((values != known.reference) & (known.changed == 0)).any())
