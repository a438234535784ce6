"""When each kind of evidence is asked for, once the error and the noise are known: a row of a table each, cheapest first.

A new kind of evidence is a file in `evidence/`, a row here, and a rung of the judge's ladder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..cases import Case, Precision
from ..floats import FLOAT32
from ..noise import Noise
from . import limits
from .evidence.casts import casts
from .evidence.coarse_numbers import coarse_numbers
from .evidence.conditioning import conditioning, forward_error, own_noise
from .evidence.evidence import Evidence, Found
from .evidence.finding import Finding
from .evidence.flips import flips
from .evidence.gain import gain
from .evidence.integers import impulses, integers
from .evidence.noise import fast_products
from .evidence.overlap import overlap
from .evidence.patterns import patterns
from .evidence.permutations import permutations
from .evidence.powers import powers
from .evidence.precision import precision, precision_by_size
from .evidence.rearrangement import rearrangement
from .evidence.redraw import redraw
from .evidence.scaling import scaling
from .judgment import WEAK, decide, formula, loss_is_tolerable
from .verdict import Verdict

F = Finding


@dataclass(frozen=True)
class Asked:
    """What a kind of evidence may look at.

    Attributes:
        case: the two sides. noise: what rounding does to `expected`, with its own errors. sampled: without them. found: the evidence so
            far, by kind.
    """

    case: Case
    noise: Noise
    sampled: Noise
    found: Found

    @property
    def beyond(self) -> bool:
        """Whether the error is larger than rounding causes."""
        return self.found.has("noise", F.BEYOND)

    @property
    def formula(self) -> bool | None:
        """Whether the formula is right, as far as is known."""
        return formula(self.found)

    @property
    def integers_differ(self) -> bool:
        """Whether integer outputs do."""
        return bool(self.found["bits"].measured.get("unequal_integers"))

    @property
    def cannot_be_lifted(self) -> bool:
        """Whether no other precision shows what the formula does."""
        return self.found.has("scaling", F.UNAVAILABLE)

    @property
    def expected_is_finer_inside(self) -> bool:
        """Whether 16 bits are declared, `expected` is much closer than they are, and the formula is right."""
        peer = self.found.get("peer")
        if self.case.storage.precision_bits >= FLOAT32.precision_bits or peer is None or peer.finding != F.EXPECTED:
            return False
        return self.formula is True and peer.number("ratio") > limits.FINER

    @property
    def computes_with_coarser_numbers(self) -> bool:
        """Whether `actual` was seen to compute with numbers of less than the declared precision."""
        return bool(self.case.remembered(coarse_numbers).formats)

    @property
    def is_coarse(self) -> bool:
        """Whether a coarser format explains it all: nothing else needs to be known."""
        named = self.found.has("precision", F.REPRODUCED, F.CORRELATES)
        return named and decide(self.found.values()).verdict is Verdict.REDUCED_PRECISION

    @property
    def jumped(self) -> bool:
        """Whether a jump explains it all: nothing else needs to be known."""
        return self.beyond and self.found.has("flips", F.JUMPS) and self.formula is not False


@dataclass(frozen=True)
class Row:
    """One kind of evidence.

    Attributes:
        words: what is being done, for people who wait.
        within, beyond: whether it is asked for where the error is within rounding, and where it is beyond.
        measure: the measurement; None where there is nothing to measure.
        always: whether it is asked for when everything is.
        reruns: whether it takes further runs of both sides, which a stored result hasn't.
    """

    words: str
    within: Callable[[Asked], bool]
    beyond: Callable[[Asked], bool]
    measure: Callable[[Asked], Evidence | None]
    always: bool = True
    reruns: bool = False


def _yes(_: Asked) -> bool:
    return True


def _no(_: Asked) -> bool:
    return False


def _precision(asked: Asked) -> Evidence | None:
    """Which coarser format it is. Asked for a second time, when the formula is known, only the size is looked at again."""
    known = asked.found.get("precision")
    if not asked.beyond or (known is not None and known.finding is not F.NOT_REPRODUCED):
        return known
    ask = precision if known is None else precision_by_size
    return ask(asked.case, asked.noise, formula_is_right=asked.formula is True) or known


SCHEDULE = (
    Row(
        "running both sides in another precision",
        within=lambda asked: asked.case.actual.lifts_cheaply,
        beyond=_yes,
        measure=lambda asked: scaling(asked.case, asked.noise, beyond=asked.beyond),
    ),
    Row("looking for jumps", within=lambda asked: asked.integers_differ, beyond=_yes, measure=lambda asked: flips(asked.case, asked.noise)),
    Row(
        "trying the coarser formats that were seen",
        within=_no,
        beyond=lambda asked: asked.computes_with_coarser_numbers and not asked.found.has("flips", F.JUMPS),
        measure=_precision,
        always=False,
    ),
    Row(
        "trying small integers",
        within=_no,
        beyond=lambda asked: asked.formula is None or asked.found.has("scaling", *WEAK),
        measure=lambda asked: integers(asked.case),
        reruns=True,
    ),
    Row(
        "perturbing the inputs",
        within=lambda asked: "scaling" not in asked.found or asked.found.has("scaling", F.UNAVAILABLE, F.AGREES_IN_FLOAT32),
        # Integers come before it, and may have told what it would tell; where only a coarser format spoke, it is asked all the same.
        beyond=lambda asked: "integers" in asked.found,
        measure=lambda asked: redraw(asked.case, asked.noise, beyond=asked.beyond),
        reruns=True,
    ),
    Row(
        "perturbing the inputs by a coarser format's spacing",
        within=_no,
        beyond=lambda asked: asked.found.has("redraw", F.SYSTEMATIC) and asked.found.has("scaling", F.UNAVAILABLE, *WEAK),
        measure=lambda asked: redraw(asked.case, asked.noise, beyond=asked.beyond, widely=True),
        reruns=True,
        always=False,
    ),
    Row("trying impulses", within=_no, beyond=lambda asked: asked.formula is None, measure=lambda asked: impulses(asked.case), reruns=True),
    Row(
        "scaling by powers of two",
        within=lambda asked: asked.cannot_be_lifted,
        beyond=lambda asked: "impulses" in asked.found,
        measure=lambda asked: powers(asked.case, asked.noise),
        reruns=True,
    ),
    Row(
        "permuting",
        within=lambda asked: asked.cannot_be_lifted,
        beyond=_no,
        measure=lambda asked: permutations(asked.case, asked.noise),
        reruns=True,
    ),
    Row(
        "looking for patterns",
        within=lambda asked: asked.cannot_be_lifted,
        beyond=_no,
        measure=lambda asked: patterns(asked.case, asked.noise, asked.sampled),
    ),
    Row(
        "taking casts out",
        within=lambda asked: asked.found.has("scaling", F.STAYS, F.UNAVAILABLE) or asked.integers_differ,
        beyond=lambda asked: asked.found.has("scaling", F.STAYS, F.UNAVAILABLE) or asked.case.finest is Precision.NATIVE,
        measure=lambda asked: casts(asked.case, asked.noise, beyond=asked.beyond),
        reruns=True,
    ),
    Row("looking for errors that lean to one side", within=_yes, beyond=_yes, measure=lambda asked: gain(asked.case, asked.sampled)),
    Row(
        "rounding the inputs and the result once",
        within=lambda asked: asked.expected_is_finer_inside,
        beyond=lambda asked: asked.expected_is_finer_inside,
        measure=lambda asked: forward_error(asked.case, asked.noise),
        always=False,
    ),
    Row(
        "perturbing the inputs by one rounding error",
        within=_no,
        beyond=lambda asked: asked.formula is True and not loss_is_tolerable(asked.found),
        measure=lambda asked: conditioning(asked.case, asked.noise) if asked.beyond else None,
    ),
    Row(
        "sampling the ops of `actual`",
        within=_no,
        beyond=lambda asked: asked.formula is True and not loss_is_tolerable(asked.found),
        measure=lambda asked: own_noise(asked.case, asked.noise) if asked.beyond else None,
        reruns=True,
    ),
    Row(
        "sampling what fast algorithms (Winograd, Strassen) lose",
        within=_no,
        beyond=lambda asked: asked.formula is True and not loss_is_tolerable(asked.found),
        measure=lambda asked: fast_products(asked.case) if asked.beyond and asked.noise.has_products else None,
    ),
    Row(
        "trying coarser formats",
        within=_no,
        beyond=lambda asked: asked.formula is not True or not loss_is_tolerable(asked.found),
        measure=_precision,
    ),
    Row(
        "looking for the same vectors in another order or with another sign",
        within=_no,
        beyond=lambda asked: asked.formula is not True,
        measure=lambda asked: rearrangement(asked.case),
        always=False,
    ),
    Row(
        "watching writes",
        within=lambda asked: asked.found.has("scaling", F.STAYS) or asked.integers_differ,
        beyond=lambda asked: asked.formula is not True or not loss_is_tolerable(asked.found),
        measure=lambda asked: overlap(asked.case),
    ),
)  # fmt: skip
"""In this order. A row sees what the rows above it found."""
