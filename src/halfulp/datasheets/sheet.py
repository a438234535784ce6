"""Datasheet: what was measured of one library on one machine, as plain data; what distinguishes two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ..documents import document, read_document, restored, text_of
from ..floats import FORMATS
from ..shown import shown
from ..words.numbers import counted

USUAL_ULPS = 16.0
"""What OpenCL allows the least exact of its elementary functions in float32 (pow, erf, tgamma; 4 and less for most): The OpenCL C
Specification, "Relative Error as ULPs"."""


class Rating(Enum):
    """How good an error is, beside what libraries reach. The value says it in words."""

    CORRECT = "correctly rounded"
    FAITHFUL = "within 1 ulp"
    USUAL = f"within {USUAL_ULPS:.0f} ulps"
    NEAR_ZERO = "large only where values are near zero"
    INEXACT = f"beyond {USUAL_ULPS:.0f} ulps"


@dataclass(frozen=True)
class Accuracy:
    """How exact one function is in one format.

    Attributes:
        function: its name; derivatives end in "'". format: of input and output.
        inputs: how many were tried. is_exhaustive: whether that is every number of the format.
        max_ulp_error: the largest error in ulps of the exact value (0.5 is the best there is); NaN where nothing could be compared.
        worst_input: where it was found.
        not_correctly_rounded: share of results that are not the number nearest to the exact value.
        special_mismatches: results that are NaN or infinite where the exact value, rounded, is not, or the other way round.
        tail_differs: share of inputs that give another result in a short array than in a long one; None where that was not measured.
        worst_value: the exact value at `worst_input`; None where it is not known.
    """

    function: str
    format: str
    inputs: int
    is_exhaustive: bool
    max_ulp_error: float
    worst_input: float
    not_correctly_rounded: float
    special_mismatches: int
    tail_differs: float | None = None
    worst_value: float | None = None

    @property
    def rating(self) -> Rating | None:
        """How good the largest error is; None where nothing was compared.

        Beyond `USUAL_ULPS` a large relative error may be a small absolute one: where 1 - tanh(x)^2 cancels, each result is within
        `USUAL_ULPS` of the last place of 1, and all relative digits can be gone.
        """
        if not self.inputs or math.isnan(self.max_ulp_error):
            return None
        if self.not_correctly_rounded == 0.0:
            return Rating.CORRECT
        if self.max_ulp_error < 1.0:
            return Rating.FAITHFUL
        if self.max_ulp_error <= USUAL_ULPS:
            return Rating.USUAL
        return Rating.NEAR_ZERO if self._absolute_in_ulps_of_one() <= USUAL_ULPS else Rating.INEXACT

    def _absolute_in_ulps_of_one(self) -> float:
        """The largest error in units of the last place of 1; infinite where the value there is not known."""
        target = FORMATS.get(self.format)
        if target is None or self.worst_value is None or not math.isfinite(self.worst_value):
            return math.inf
        exponent = math.frexp(self.worst_value)[1] - 1 if self.worst_value else target.exponent_min
        return math.ldexp(self.max_ulp_error, max(exponent, target.exponent_min))


@shown
@dataclass(frozen=True)
class Datasheet:
    """What a library does on a machine.

    Attributes:
        library: "torch", "numpy" or "jax". device: "cpu", "cuda" ...
        fingerprint: versions, hardware and settings, as `Fingerprint.sections`.
        properties: section, then name, then what was measured, in words.
        accuracies: one for each function and format.
    """

    library: str
    device: str
    fingerprint: dict[str, dict[str, str]]
    properties: dict[str, dict[str, str]]
    accuracies: tuple[Accuracy, ...]

    def to_json(self) -> str:
        """JSON with a schema number, which `read_datasheet` reads."""
        return text_of(document("datasheet", self))

    def differences(self, other: Datasheet) -> list[tuple[str, str, str]]:
        """Where two datasheets differ: (what, here, there); machine and settings first, then properties, then errors of functions.

        Errors count as different when they differ by more than a tenth of an ulp (above one ulp, a tenth of the smaller), shares when by
        more than a hundredth: samples differ by less. So do functions that one sheet lacks, and NaN or infinities that only one gets wrong.
        """
        found: list[tuple[str, str, str]] = []
        if (self.library, self.device) != (other.library, other.device):
            found.append(("library", f"{self.library} on {self.device}", f"{other.library} on {other.device}"))
        for name in ("fingerprint", "properties"):
            here, there = getattr(self, name), getattr(other, name)
            for section in dict.fromkeys((*here, *there)):
                first, second = here.get(section, {}), there.get(section, {})
                found += [
                    (f"{section}: {key}", first.get(key, "-"), second.get(key, "-"))
                    for key in dict.fromkeys((*first, *second))
                    if first.get(key) != second.get(key)
                ]
        tables = [{(accuracy.function, accuracy.format): accuracy for accuracy in sheet.accuracies} for sheet in (self, other)]
        for key in dict.fromkeys((*tables[0], *tables[1])):
            here, there = tables[0].get(key), tables[1].get(key)
            if here is None or there is None or _differ(here, there):
                found.append((f"{key[0]} in {key[1]}", _in_words(here), _in_words(there)))
        return found


def _differ(here: Accuracy, there: Accuracy) -> bool:
    if math.isnan(here.max_ulp_error) or math.isnan(there.max_ulp_error):
        return math.isnan(here.max_ulp_error) != math.isnan(there.max_ulp_error)
    error = abs(here.max_ulp_error - there.max_ulp_error)
    share = abs(here.not_correctly_rounded - there.not_correctly_rounded)
    specials = bool(here.special_mismatches) != bool(there.special_mismatches)
    return error > 0.1 * max(1.0, min(here.max_ulp_error, there.max_ulp_error)) or share > 0.01 or specials


def _in_words(accuracy: Accuracy | None) -> str:
    if accuracy is None or math.isnan(accuracy.max_ulp_error):
        return "-"
    specials = f", NaN or infinity wrong at {counted(accuracy.special_mismatches, 'input')}" if accuracy.special_mismatches else ""
    return f"{accuracy.max_ulp_error:.4g} ulp, {100 * accuracy.not_correctly_rounded:.3g} % not correctly rounded{specials}"


def read_datasheet(path: str | Path) -> Datasheet:
    """A datasheet from its file.

    Raises:
        InputError: the file is missing, no JSON, or no datasheet.
    """
    return restored("datasheet", read_document(path), str(path))
