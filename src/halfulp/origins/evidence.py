"""What one op adds, judged as a pair of `check` is: the same kinds of evidence, from recorded numbers, and the same `decide`.

`actual` was recorded op by op too, so its own ops can be evaluated exactly, on the numbers that both sides have in common. If the
difference stays, its formula is another one. If it vanishes, the formula is right, and the way of computing it makes the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..differences.allowance import max_limit, rms_limit
from ..floats import FLOAT64
from ..ops import record_of
from ..ops.arithmetic import Array, Counting
from ..ops.evaluation import Unknown
from ..verdicts import limits
from ..verdicts.evidence.evidence import Evidence
from ..verdicts.evidence.finding import Finding
from ..verdicts.judgment import ONE_OP, decide
from ..verdicts.verdict import Verdict
from .addition import SAMPLES, Addition, channels_of, format_of_results, is_fast_convolution, judged, numbers, reduced_precision
from .chain import Chain
from .values import evaluate
from .versions import Evaluation, Surroundings, Version

F = Finding

UNKNOWN_FORMULA = "a good algorithm can add that much, although it is not known how this value was computed"
"""What is said of a value that no recorded op made."""

LOOSENINGS = 3
"""How many ops back rounding is carried where the two sides share too few values to be compared op by op: the ops of one module between two
named results."""


class Reason(NamedTuple):
    """A verdict on what one op adds, and what it rests on in words."""

    verdict: Verdict
    text: str


class Compared(NamedTuple):
    """A value of `actual` beside what an op of `expected` predicts for it.

    Attributes:
        walker: the walk. main: the op, on the numbers that `actual` had. slot, number: which output, and its number in `expected`.
        candidate, actual: the value of `actual`, and its numbers. addition: how far they are from the prediction.
        same: another value of `actual` that is what the op gives, from which the candidate may come.
    """

    walker: Surroundings
    main: Evaluation
    slot: int
    number: int
    candidate: int
    actual: Array
    addition: Addition
    same: int | None = None

    @property
    def prediction(self) -> Array:
        """What `actual` should have got."""
        prediction = self.main.exact()[self.slot]
        assert prediction is not None
        return prediction


def reason_of(compared: Compared) -> Reason:
    """What makes a value of `actual` differ from what an op of `expected` predicts for it."""
    found = {evidence.kind: evidence for evidence in _evidence(compared)}
    decision = decide(found.values())
    return Reason(decision.verdict, _words(decision.verdict, decision.because[0], found))


def _evidence(compared: Compared) -> Iterator[Evidence]:
    """Cheapest first, until it is decided; noise comes again where the errors of `expected` itself have to be counted as honest."""
    chain = Chain(compared.walker, compared.candidate)
    exact = chain.exact()
    exact = exact.reshape(compared.prediction.shape) if exact is not None and exact.size == compared.prediction.size else None
    yield _noise(compared.addition, compared, chain)
    if _is_of_neighbors(compared, chain):
        yield Evidence("neighbors", F.WITHIN)
        return
    if exact is not None:
        formulas = _formulas(compared, exact)
        yield Evidence("scaling", formulas)
        if formulas is F.STAYS:
            return
    if compared.addition.residual.nonfinite:
        yield Evidence("specials", F.DIFFER)
        return
    coarser = _coarser_format(compared, chain if exact is not None else None)
    if coarser is not None:
        yield coarser
    elif compared.addition.excess.of_limit > limits.TOLERABLE_LOSS:
        yield from _of_larger_loss(compared, chain, formula_is_known=exact is not None)


def _coarser_format(compared: Compared, chain: Chain | None) -> Evidence | None:
    """The coarser format that explains the error: of operands or the result, or one that results were stored in on the way."""
    format = compared.walker.format_of(compared.number)
    if compared.actual.dtype.kind == "f":
        named = reduced_precision(compared.actual, compared.prediction, compared.main.coarse(compared.slot), format)
        if named is None and (chain is None or not chain.is_faithful):  # where each op rounds as it may, no format is at work
            named = format_of_results(compared.actual, compared.prediction, format)
        if named is not None:
            return Evidence("precision", F.REPRODUCED, measured={"format": named})
    stored = chain.coarsest(format) if chain is not None else None
    return Evidence("casts", F.EXPLAIN, measured={"formats": [stored.name]}) if stored is not None else None


def _of_larger_loss(compared: Compared, chain: Chain, *, formula_is_known: bool) -> Iterator[Evidence]:
    """What may excuse more than a respectable algorithm loses, or prove it wrong."""
    if _within_bound(compared):
        yield Evidence("backward_error", F.WITHIN_PROVED_BOUND)
        return
    if not formula_is_known:
        return
    spread = compared.main.spread(compared.slot)
    channels = channels_of(compared.actual, compared.prediction, spread)
    if is_fast_convolution(compared.main.step.name, compared.addition, channels):
        yield Evidence("fast_products", F.EXPLAIN)
        return
    honest = _beside_expected(compared)
    if honest is not None:
        yield _noise(honest, compared, chain)
        if honest.excess.of_limit <= limits.TOLERABLE_LOSS:
            return
    if not chain.is_faithful:
        yield Evidence("kernel", F.DIFFERS)
    # Each of its ops rounds as it may; it is only a matter of how much that comes to, beside what the ops before make of their rounding.
    elif any(addition.excess.of_limit <= limits.TOLERABLE_LOSS for addition in _loosened_additions(compared)):
        yield Evidence("loosened", F.WITHIN)


def _noise(addition: Addition, compared: Compared, chain: Chain) -> Evidence:
    """How far off it is, in units of the rounding noise of this op on these inputs."""
    residual, tests = addition.residual, compared.walker.tests
    return Evidence(
        "noise",
        F.WITHIN if addition.within else F.BEYOND,
        measured={
            "rms_in_noise": residual.rms_in_noise,
            "rms_limit": rms_limit(SAMPLES, tests=tests),
            "max_in_noise": residual.max_in_noise,
            "max_limit": max_limit(SAMPLES, residual.count, tests=tests),
            "norm_in_noise": residual.norm_in_noise,
            "max_norm_in_noise": residual.max_norm_in_noise,
            "transforms": chain.transforms,
            "reference": ONE_OP,
        },
    )


def _words(verdict: Verdict, kind: str, found: dict[str, Evidence]) -> str:
    """What decided, in words."""
    formula_is_known = "scaling" in found
    if verdict is Verdict.ROUNDING and kind in ("loss", "backward_error") and not formula_is_known:
        return UNKNOWN_FORMULA
    if verdict is Verdict.ROUNDING and kind in ("loss", "noise"):
        transforms = found["noise"].measured["transforms"]
        return (
            "it is a fast convolution, which is accurate in norm only"
            if "fast_products" in found
            else "it was computed by Fourier transforms, which are accurate in norm only"
            if transforms
            else "it is another way to compute the same result, which loses slightly more"
        )
    if verdict is Verdict.UNSTABLE:
        return "in exact arithmetic the difference vanishes: this algorithm loses digits"
    return {
        "neighbors": "it was computed from values other than those compared, and is within rounding in norm",
        "scaling": "the difference stays in exact arithmetic, so the formula, a constant or a weight differs",
        "specials": "NaN or infinity is in different places",
        "precision": f"computing with {found['precision'].measured['format']} explains it" if "precision" in found else "",
        "casts": f"in exact arithmetic the difference vanishes, and results were stored in {found['casts'].measured['formats'][0]}"  # type: ignore[index]
        if "casts" in found
        else "",
        "backward_error": "it is an unlucky sum: beyond the likely error, within the proved bound for any order",
        "kernel": "the result differs from what the op's own formula gives on its inputs",
        "norm": "it is the same formula in another form: individual elements that cancel lose digits, but the result as a whole does not",
        "loosened": "it is another way to compute the same result, which loses slightly more",
    }.get(kind, "")


def _is_of_neighbors(compared: Compared, chain: Chain) -> bool:
    """Whether it was computed from other values than those compared, and lies no further off in norm than rounding there."""
    values, main = compared.walker.actual.values, compared.main
    sources = main.sources() | ({compared.same} if compared.same is not None else set[int]())
    bits = {values[source].hash for source in sources} - {""}
    if chain.starts_from(sources, bits):
        return False
    additions = (compared.addition, *_loosened_additions(compared))
    return any(addition.residual.norm_in_noise <= rms_limit(SAMPLES) for addition in additions)


def _loosened_additions(compared: Compared) -> Iterator[Addition]:
    """The error in units of what the rounding of one, two and three ops makes."""
    main = compared.main
    for _ in range(LOOSENINGS):
        main = main.loosened()
        yield compared.walker.addition_in(main, compared.slot, compared.number, compared.actual)


def _within_bound(compared: Compared) -> bool:
    """Whether each error is below n u times the sum of the terms' magnitudes (Higham, Accuracy and Stability, 2nd ed., section 3.1).

    Errors of a sum of few different numbers, repeated, go one way: they reach the bound, not its root.
    """
    main = compared.main
    if not record_of(main.step.name).magnitudes:
        return False
    counting = Counting()
    try:
        magnitudes = evaluate(main.step, lambda number: np.abs(main.input(number)), counting)[compared.slot]
    except Unknown:
        return False
    if magnitudes is None:
        return False
    bound = (counting.terms + 1.0) * compared.walker.format_of(compared.number).unit_roundoff * magnitudes
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.abs(compared.actual - compared.prediction) <= bound))


def _beside_expected(compared: Compared) -> Addition | None:
    """The error beside that of `expected` on its own inputs, which counts as honest: its library may compute not quite the op's formula."""
    walker, step, slot = compared.walker, compared.main.step, compared.slot
    try:
        own = Evaluation(walker, step, {number: Version(identical=True) for number in step.inputs})
        prediction, expected = own.exact()[slot], walker.expected_values.number(compared.number)
        if prediction is None or prediction.shape != expected.shape:
            return None
        with np.errstate(invalid="ignore"):
            error = np.abs(numbers(expected) - numbers(prediction))
        spread = np.fmax(compared.main.spread(slot), error)
        return judged(compared.actual, compared.prediction, spread, walker.format_of(compared.number), tests=walker.tests)
    except Unknown:
        return None


def _formulas(compared: Compared, exact: Array) -> Finding:
    """Whether the two formulas differ by as much as the error.

    Formulas are evaluated in float64. Where that is what both sides compute in, the evaluation is no better than they are: it is a
    respectable algorithm itself, and loses what one may lose.
    """
    if not _stays(compared.actual, exact, compared.prediction):
        return F.VANISHES
    format = compared.walker.format_of(compared.number)
    if format.precision_bits < FLOAT64.precision_bits:
        return F.STAYS
    apart = judged(exact, compared.prediction, compared.main.spread(compared.slot), format, tests=compared.walker.tests)
    return F.STAYS if apart.excess.of_limit > limits.TOLERABLE_LOSS else F.UNAVAILABLE


def _stays(actual: Array, exact: Array, prediction: Array) -> bool:
    """Whether the difference of the formulas makes up the error."""
    with np.errstate(invalid="ignore", over="ignore"):
        error, formulas = numbers(actual) - numbers(prediction), numbers(exact) - numbers(prediction)
        usable = np.isfinite(error) & np.isfinite(formulas)
        total = float(np.sum(np.abs(error[usable]) ** 2))
        rest = float(np.sum(np.abs((error - formulas)[usable]) ** 2))
    if not total:
        return False
    return rest <= (1.0 - limits.EXPLAINED) * total
