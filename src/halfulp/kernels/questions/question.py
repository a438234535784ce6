"""Question: one setting that a solution is asked about, and what an answer decides."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ...verdicts.result import CheckResult
from ...verdicts.verdict import Verdict
from ..problems.calls import Setting, equal, leaves, with_leaves
from ..promises.promises import Promises
from ..trials.looks import A_DIGIT


@dataclass(frozen=True, eq=False)
class Question:
    """One setting to ask, with its name.

    Attributes:
        kind, label: see `Asked`. setting: to ask. sizes: those that differ from the problem's.
        otherwise: what to ask if this has no answer. start: the setting that was changed, where it is not the given one.
        gradients: the way in which gradients are compared instead of results; "" for none. buffers: whether buffers are.
        exotic: whether a difference is reported but decides nothing, because correct implementations may differ there (NaN, empty inputs).
        tied: whether numbers are equal, so that any of them may be chosen.
        finite: whether only a NaN or an infinity decides. singular: whether only finite differences do, as where a divisor became zero.
        blunt: whether lost digits, and infinities, decide nothing. borders: whether it is asked for what lies past the end of a block.
        exact: whether a jump counts as wrong where the reference's numbers are exact.
        far: whether a size is many times the problem's, so that taking long, or much memory, decides nothing.
        steady: whether the reference takes no longer than on the given inputs.
        of: the constructor argument that was changed. apart: the arguments before some were made larger than all others.
        promised: whether the problem says that this may occur, so that a solution may not refuse it.
        ignored: whether the changed numbers affect no result, so that statements about numbers are not meant for them.
    """

    kind: str
    label: str
    setting: Setting
    exotic: bool = False
    tied: bool = False
    otherwise: Setting | None = None
    gradients: str = ""
    far: bool = False
    finite: bool = False
    of: str = ""
    exact: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    blunt: bool = False
    apart: tuple[Any, ...] | None = None
    borders: bool = False
    buffers: bool = False
    promised: bool = False
    ignored: bool = False
    steady: bool = False
    singular: bool = False
    start: Setting | None = None

    @property
    def times(self) -> float:
        """How many times larger the numbers are than the problem's."""
        return next((times for label, times in LARGER.items() if label in self.label), 1.0)


ALIKE = "all numbers the same"
EQUAL = "ties"
TIED = (EQUAL, "integers", "half of the numbers zero", ALIKE, "all numbers zero")
"""Variants in which many numbers are equal."""


def decides_nothing(question: Question, *, contracted: bool = False) -> tuple[tuple[str, ...], ...]:
    """The leading evidence of a verdict that says nothing here.

    This is the case for: places chosen among ties; errors that lean to one side where all numbers are equal, or nearly so, since then all
    errors are equal too; gradients that are NaN where everything is saturated; infinities of huge numbers where products are contracted.

    Args:
        contracted: the solution's compiler makes one operation of a product and a sum, as those for GPUs do. Exponentials to base two,
            2 ** (x * log2(e) - m * log2(e)), then keep what the rounded second product lost: beyond 2^31 that alone overflows, at x = m.
    """
    found: list[tuple[str, ...]] = []
    if question.tied:
        found.append(("integer_outputs",))
    if ALIKE in question.label or FAR_FROM_ZERO in question.label:
        found += [("gain",), ("redraw",)]
    if question.gradients and any(label in question.label for label in SATURATED):
        found.append(("specials",))
    if question.singular:
        found.append(("specials",))
    if contracted and f"{HUGE:g}" in question.label:
        found.append(("specials",))
    return tuple(found)


def loses_little(question: Question, check: CheckResult | None) -> bool:
    """Whether a loss of digits on extreme values decides nothing: less than one digit; or any loss, where only borders are asked.

    Which digits are kept of such numbers is asked at the given sizes.
    """
    if check is None or check.verdict is not Verdict.UNSTABLE or check.because[:1] != ("loss",):
        return False
    if question.borders:
        return True
    noise = check.find("noise")
    limit = MEAN_IN_SPREADS if question.gradients and MEAN in question.label else A_DIGIT
    is_extreme = (
        question.kind == "values"
        or FAR_FROM_ZERO in question.label
        or (question.gradients != "" and any(label in question.label for label in DIFFERENTIATED))
    )
    return is_extreme and noise is not None and noise.number("rms_in_noise") <= limit


MEAN, MEAN_IN_SPREADS = "a large mean", 100.0
"""The value of `halfulp.inputs`. On inputs so far from zero, gradients computed again from a rounded result, as in all tiled attention,
lose as many digits; a square of the mean that cancels loses twice as many."""


LARGE = "numbers a thousand times larger"
LARGER = {"a thousand times larger": 2000.0, "a hundred times larger": 200.0, MEAN: MEAN_IN_SPREADS}
"""How many times larger numbers are, by the words of a label; `_negative` doubles the largest."""
DIFFERENTIATED = (MEAN, LARGE, "all numbers negative", "sums that cancel")
"""Variants on which gradients are asked: a formula that is right for small numbers overflows or cancels on others."""
FAR_FROM_ZERO, FAR_MEAN = "a mean a thousand times the spread", 1000.0
"""The value of `halfulp.inputs`, and how many times the spread its mean is. In float32, squares of numbers so far from zero have a unit as
large as the squares of their differences."""
IN_TRAINING = (*DIFFERENTIATED, FAR_FROM_ZERO)
"""Variants that are asked in training mode: E[x²] - E[x]² loses twice the digits that the inputs lose."""
SATURATED = (LARGE,)
"""Variants on which a NaN gradient decides nothing: written as 1 / (1 + exp(-x)), a sigmoid has none at -100."""
HUGE = 1e12
"""Code often writes 1e4, 1e9 or 1e10 for infinity; float32 can hold the cube of this number."""


def keeps_apart(kind: torch.dtype, spreads: float) -> bool:
    """Whether a format resolves a tenth of the spread of numbers whose mean is so many spreads from zero; else many of them are equal."""
    return torch.finfo(kind).eps * spreads < 0.1


def shifted(tensor: torch.Tensor, spreads: float) -> torch.Tensor | None:
    """A tensor shifted upwards by so many of its standard deviations; None if it has no spread, or its format can't hold the sum."""
    known = tensor.double()
    spread = float(known.std(correction=0)) if known.numel() > 1 else 0.0
    away = (known + spreads * spread).to(tensor.dtype)
    return away if 0.0 < spread < math.inf and bool(torch.isfinite(away).all()) else None


def kept_question(label: str, given: Setting, changes: Mapping[int, torch.Tensor], promises: Promises) -> Iterator[Question]:
    """The question about other values, adjusted to keep the promises; none if that undoes the change."""
    kept = promises.kept(with_leaves(given.arguments, changes))
    if kept is not None and not is_unchanged(kept, given.arguments, "values"):
        yield Question("values", label, replace(given, arguments=kept))


def is_unchanged(arguments: tuple[Any, ...], given: tuple[Any, ...], kind: str) -> bool:
    """Whether keeping the promises has undone the change."""
    pairs = zip(leaves(arguments), leaves(given))
    return kind != "layout" and all(equal(new, old) for new, old in pairs)


def size_in_words(name: str) -> str:
    """The name of a size in `Problem.sizes`, in words."""
    number, _, place = name.partition("#")
    return name if name.isidentifier() else f"the number {number}{f' at its place {place}' if place else ''}"
