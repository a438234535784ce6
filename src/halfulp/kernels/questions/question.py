"""Question: one setting that a solution is asked, and what an answer to it decides."""

from __future__ import annotations

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
    """One setting with what it is called.

    Attributes:
        kind, label: see `Asked`. setting: on what. exotic: whether a difference is reported and decides nothing, since honest
            implementations may differ there (NaN, nothing at all). tied: whether numbers are alike, so that which one is chosen is free.
        otherwise: what to ask where this has no answer. gradients: if it is these that are asked, in which way. far: whether a size is many
            times the problem's, so that what takes long or much memory says nothing. finite: whether a difference decides nothing that is
            no NaN or infinity. of: the parameter of a constructor that is another one. exact: whether a jump decides where the reference's
            numbers are exact. sizes: those of the problem that are others. blunt: whether digits that are lost, and infinities, decide
            nothing.
            apart: the arguments before some numbers were made larger than all others.
            borders: whether it is asked for what lies beyond the end of a block. buffers: whether it is these that are asked.
            promised: whether the problem says that it may come, so that a solution may not refuse it. ignored: whether what is changed
            counts nowhere, so that what the problem says of its numbers is not meant. steady: whether the reference takes no longer there
            than on the given inputs. singular: whether NaN and infinities decide nothing, as where a number that is divided by became zero.
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

    @property
    def times(self) -> float:
        """How much larger numbers are than those of the problem."""
        return next((times for label, times in LARGER.items() if label in self.label), 1.0)


ALIKE = "all numbers the same"
TIED = ("ties", "integers", "half of the numbers zero", ALIKE, "all numbers zero")
"""Variants in which many numbers are alike."""


def decides_nothing(question: Question, *, contracted: bool = False) -> tuple[tuple[str, ...], ...]:
    """The first evidence of a verdict that says nothing here.

    Places that are chosen among ties; how errors lean where all numbers are alike, or nearly, since all errors are alike then; gradients
    that are NaN where all is saturated; infinities of huge numbers where products are contracted.

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
    """Whether a solution keeps fewer digits than it might where values are extreme: not a digit fewer; or any, where borders are asked.

    Which digits are kept of such numbers is asked at the given sizes.
    """
    if check is None or check.verdict is not Verdict.UNSTABLE or check.because[:1] != ("loss",):
        return False
    if question.borders:
        return True
    noise = check.find("noise")
    limit = MEAN_IN_SPREADS if question.gradients and MEAN in question.label else A_DIGIT
    is_of_values = question.kind == "values" or (question.gradients != "" and any(label in question.label for label in DIFFERENTIATED))
    return is_of_values and noise is not None and noise.number("rms_in_noise") <= limit


MEAN, MEAN_IN_SPREADS = "a large mean", 100.0
"""What `halfulp.inputs` makes it: gradients that are computed from a rounded result again, as all do who compute attention in tiles, lose
so much where inputs are as far from zero; a square of the mean that cancels loses its square."""


LARGER = {"a thousand times larger": 2000.0, "a hundred times larger": 200.0, MEAN: MEAN_IN_SPREADS}
"""How many times larger numbers are, by what labels say of it; see `_negative`, which doubles the largest."""
DIFFERENTIATED = (MEAN, "numbers a thousand times larger", "all numbers negative", "sums that cancel")
"""Variants on which gradients are asked: a formula that is right for small numbers overflows, or cancels, elsewhere."""
FAR_FROM_ZERO = "a mean a thousand times the spread"
IN_TRAINING = (*DIFFERENTIATED, FAR_FROM_ZERO)
"""Variants that are asked in training mode: the mean of squares less the square of the mean loses the square of what the inputs lose."""
SATURATED = ("numbers a thousand times larger",)
"""Variants on which a gradient that is no number decides nothing: that of 1 / (1 + exp(-x)), a sigmoid, is none at -100."""
HUGE = 1e12
"""What stands for infinity in code is often 1e4, 1e9 or 1e10; float32 holds its cube."""


def kept_question(label: str, given: Setting, changes: Mapping[int, torch.Tensor], promises: Promises) -> Iterator[Question]:
    """The question of other values that hold what is promised; none where that leaves nothing changed."""
    kept = promises.kept(with_leaves(given.arguments, changes))
    if kept is not None and not is_unchanged(kept, given.arguments, "values"):
        yield Question("values", label, replace(given, arguments=kept))


def is_unchanged(arguments: tuple[Any, ...], given: tuple[Any, ...], kind: str) -> bool:
    """Whether what is promised has made the variant what was given."""
    pairs = zip(leaves(arguments), leaves(given))
    return kind != "layout" and all(equal(new, old) for new, old in pairs)
