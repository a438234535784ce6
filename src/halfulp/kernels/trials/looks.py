"""Looks: what a few runs of both sides show without a whole judgement: as good as the reference, no farther off, or unusable."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...cases import LIFTED, Case, Run
from ...cases.trees import tensors_of
from ...differences import Leaf
from ...floats import FLOAT32, FLOAT64, Format
from ...verdicts.result import CheckResult

FARTHER = 2.0
"""A solution with an rms error of at most this many times the reference's, plus an ulp, needs no closer look: orders of summation and
libraries differ by up to 4 (`halfulp.reports.text.advice.MUCH_CLOSER`)."""
AN_ELEMENT = 8.0
"""The same for single elements, of which a share of `FEW` may be farther off: the reference's own error happens to be small in places."""
FEW = 1e-3
USABLE = 1e-2
"""If the reference itself, in the declared precision, is off by more than this share of its size, a solution can't be judged."""


def _leaves(case: Case) -> list[tuple[Leaf, Leaf, Leaf]] | None:
    """Each output of the solution, of the reference, and of the reference in float64; None if the two don't match."""
    exact = case.run("expected", LIFTED)
    wanted = case.native("expected").outputs
    found, finer = case.native("actual").by_path, exact.by_path if isinstance(exact, Run) else {}
    if set(found) != {leaf.path for leaf in wanted}:
        return None
    triples = [(found[leaf.path], leaf, finer.get(leaf.path, leaf)) for leaf in wanted]
    return triples if all(a.shape == e.shape == x.shape and a.dtype == e.dtype for a, e, x in triples) else None


RETURNS_NOTHING = "the reference returns nothing"


def unusable(case: Case) -> str:
    """Why a solution can't be judged here: the reference overflows, or is far off itself; "" if it can."""
    exact = case.run("expected", LIFTED)
    if not isinstance(exact, Run):
        return ""
    if not any(leaf.stored.size for leaf in case.native("expected").outputs):
        return RETURNS_NOTHING
    for leaf in case.native("expected").outputs:
        finer = exact.by_path.get(leaf.path)
        if leaf.format is None or finer is None or finer.shape != leaf.shape or not leaf.stored.size:
            continue
        with np.errstate(all="ignore"):
            plain, wide = leaf.float64(), finer.float64()
            if not np.array_equal(np.isfinite(plain), np.isfinite(wide)):
                return f"the reference leaves the range of {leaf.format.name}"
            usable = np.isfinite(wide)
            size = float(np.sqrt(np.mean(np.square(wide[usable])))) if usable.any() else 0.0
            off = float(np.sqrt(np.mean(np.square((plain - wide)[usable])))) if usable.any() else 0.0
        if size and off > USABLE * size and leaf.format.precision_bits >= 24:
            return "the reference itself loses nearly all digits"
    return ""


def undefined(case: Case) -> str:
    """Why a solution can't be judged here: the reference gives NaN where the solution gives a number; "" otherwise.

    Where an input holds NaN, NaN is what the reference defines.
    """
    given = (tensor for tensor in tensors_of(case.inputs) if tensor.is_floating_point() or tensor.is_complex())
    if any(bool(tensor.isnan().any()) for tensor in given):
        return ""
    for found, wanted, _ in _leaves(case) or []:
        if wanted.format is not None and found.format is not None:
            nothing, some = np.isnan(wanted.float64()), np.isnan(found.float64())
            if (nothing & ~some).any() and not (some & ~nothing).any():
                return "the reference gives NaN there"
    return ""


def undefined_places(case: Case, results: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """For each result, where the reference gives NaN and the solution a number; empty if that is everywhere, or they don't match.

    Args:
        results: the solution's.
    """
    pairs = [(found, wanted) for found, wanted, _ in _leaves(case) or []]
    if [found.shape for found, _ in pairs] != [tuple(tensor.shape) for tensor in results]:
        return ()
    masks = [
        np.isnan(wanted.float64()) & ~np.isnan(found.float64())
        if found.format is not None and wanted.format is not None
        else np.zeros(wanted.shape, bool)
        for found, wanted in pairs
    ]
    return () if all(mask.all() for mask in masks) else tuple(torch.from_numpy(mask) for mask in masks)


def is_close_in_norm(case: Case, times: float = 1.0, usual: float = 0.0) -> bool:
    """Whether every output is within a few units of its largest values: digits are lost only where results are small beside the others.

    Args:
        times: how much larger the inputs are than those of the problem; an exponent's error grows as it does, and that is no instability.
        usual: the size (rms) of the largest gradient on the inputs of the problem; 0 for results. Where softmax is saturated its gradient
            is next to nothing: the difference of two numbers as large as other gradients, of which rounding leaves more.
    """
    sizes = (_rms(exact.float64()) for _, _, exact in _leaves(case) or [] if exact.format is not None) if usual else ()
    largest = max(usual, *sizes) if usual else 0.0
    return _all_within(case, lambda _, x, form: AN_ELEMENT * times * form.unit_roundoff * max(_rms(x), largest))


GROSS = 1e-2
"""Relative to a result's size: the loosest tolerance that a checker of kernels ships (KernelBench's and BackendBench's)."""
MANY_WHOLE = 0.1
"""The share of integers that differ. An error of a part of a step changes twice that part of rounded numbers: a tenth takes an error of a
twentieth of a step, five times `GROSS`."""
IN_16_BITS = 64.0
"""Units: the square root of 4,096, the error of a sum of that many numbers where each step is rounded to 16 bits."""
THREE_DIGITS = 1000.0
"""Times the reference's own error, of the seven digits of float32: another order of summation costs less than one digit (`FARTHER`)."""


def gross_error(case: Case) -> str:
    """An error too large for any judgement, in words: NaN, or a share of the size; "" if there is none.

    It is far larger than the reference's own, in results that are not small differences of large numbers.
    """
    for found, wanted, exact in _leaves(case) or []:
        if found.format is None:
            words = whole_error(found.stored, wanted.stored) if np.array_equal(wanted.stored, exact.stored) else ""
        else:
            words = floating_error(found.float64(), wanted.float64(), exact.float64(), found.format.unit_roundoff)
        if words:
            return words
    return ""


def is_out_of_range(case: Case) -> bool:
    """Whether the solution gives NaN or infinity where the reference gives numbers."""
    floats = [(found.float64(), wanted.float64()) for found, wanted, _ in _leaves(case) or [] if found.format is not None]
    return any(bool((np.isfinite(e) & ~np.isfinite(a)).any()) for a, e in floats)


def whole_error(a: Any, e: Any) -> str:
    """The same for integers, of the solution and of the reference."""
    differ = np.count_nonzero(a != e)
    return f"{differ:,} of its {a.size:,} whole numbers differ" if a.size and differ > MANY_WHOLE * a.size else ""


def floating_error(a: Any, e: Any, x: Any, unit_roundoff: float) -> str:
    """The same for floating-point numbers: of the solution, of the reference, and exact."""
    with np.errstate(all="ignore"):
        known = np.isfinite(e) & np.isfinite(x)
        if lost := int(np.count_nonzero(known & ~np.isfinite(a))):
            return f"it gives NaN or infinity at {lost:,} places where the reference gives numbers"
        own, other = np.abs(a - x)[known], np.abs(e - x)[known]
        size = np.maximum(np.abs(x[known]), _rms(x[known]))
        least = np.maximum(max(GROSS, IN_16_BITS * unit_roundoff) * size, THREE_DIGITS * np.maximum(other, _rms(other)))
        far = int(np.count_nonzero(own > least))
    return f"{far:,} of its {a.size:,} results are off by more than {GROSS:.0%} of their size" if far else ""


def errs_where_nothing_does(check: CheckResult) -> bool:
    """Whether some or all elements are zero and free of rounding in the reference, and every error is within the noise of the whole.

    The gradient of a gate that is applied to nothing is zero; computed as the difference of two sums, it is zero up to their rounding.
    """
    noise = check.find("noise")
    if noise is None or noise.number("norm_in_noise") > 1.0:
        return False
    return math.isinf(noise.number("rms_in_noise")) or noise.measured.get("rel_rms") is None


def is_no_farther(case: Case, times: float = FARTHER) -> bool:
    """Whether the rms error of every output is at most this many times the reference's."""
    wanted = [leaf.float64() for leaf in case.native("expected").outputs]
    return _all_within(case, lambda place, x, _: times * _rms(wanted[place] - x))


def is_within(case: Case, moved: Sequence[Any]) -> bool:
    """Whether the rms error of each output is at most `A_DIGIT` times the effect of another change.

    Args:
        moved: the reference's results in float64 on changed inputs.
    """
    return _all_within(case, lambda place, x, form: A_DIGIT * _rms(moved[place] - x) + _rms(unit(x, form)))


def _all_within(case: Case, limit: Callable[[int, Any, Format], float]) -> bool:
    """Whether the rms error of each output is within its limit, and integers are the same.

    Args:
        limit: of an output, by its place, its exact numbers and the format of the solution's.
    """
    triples = _leaves(case) or []
    for place, (found, wanted, exact) in enumerate(triples):
        if found.format is None:
            if not found.has_bytes_of(wanted):
                return False
            continue
        a, x = found.float64(), exact.float64()
        with np.errstate(all="ignore"):
            if not np.isfinite(a).all() or not np.isfinite(x).all() or not _rms(a - x) <= limit(place, x, found.format):
                return False
    return bool(triples)


def _rms(x: Any) -> float:
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


A_DIGIT = 10.0
"""Times what rounding causes: on extreme values, an algorithm that loses less than one digit is not wrong."""


def is_undisturbed(case: Case, before: Sequence[Any]) -> bool:
    """Whether results that don't depend on what was changed keep their digits.

    Args:
        before: the reference's results in float64 before inputs were changed: what is the same now does not depend on them.
    """
    triples = _leaves(case) or []
    if not triples or len(before) != len(triples):
        return True
    for (found, wanted, exact), old in zip(triples, before):
        x = exact.float64()
        if found.format is None or old.shape != x.shape:
            continue
        same = (old == x) & np.isfinite(x)
        a, e = found.float64()[same], wanted.float64()[same]
        if not np.isfinite(a).all() or _rms(a - x[same]) > A_DIGIT * (_rms(e - x[same]) + _rms(unit(x[same], found.format))):
            return False
    return True


def more_roundings(case: Case) -> float:
    """The share of results that were rounded to 16 bits on the way, by how far they are off, less the reference's own share.

    What is computed in float32 and rounded once is off by half an ulp, and by more than three quarters of one only where it cancels to a
    two-thousandth of its terms. What is returned in float32, of inputs of 16 bits, has lost half its digits only where it cancels that far.
    """
    found = 0.0
    for own, wanted, exact in _leaves(case) or []:
        is_short = own.format is not None and own.format.precision_bits <= SHORT
        if own.format is None or not own.stored.size or not (is_short or case.storage.precision_bits <= SHORT):
            continue
        with np.errstate(all="ignore"):
            a, e, x = own.float64(), wanted.float64(), exact.float64()
            usable = np.isfinite(a) & np.isfinite(e) & np.isfinite(x) & (np.abs(x) >= math.ldexp(1.0, own.format.exponent_min))
            ulp = np.ldexp(2.0 * own.format.unit_roundoff, np.frexp(np.where(usable, x, 1.0))[1] - 1)
            most = 0.75 * ulp if is_short else HALF_THE_DIGITS * np.abs(x)
            far, other = (np.mean((np.abs(side - x) > most)[usable]) if usable.any() else 0.0 for side in (a, e))
        if other < ONCE:
            found = max(found, float(far - other))
    return found


HALF_THE_DIGITS = 2.0**-12
"""The relative error of a number of float32 that keeps half its bits; of those rounded to float16, a quarter are off by more."""
SHORT = 11
"""Significant bits of float16; bfloat16 has 8."""
ONCE = 0.01
"""A reference with a larger share of such results rounds on the way itself."""


def unit(exact: Any, form: Format) -> Any:
    """Half an ulp of each number; for subnormal ones the smallest normal number of float32, since devices may flush these to zero."""
    smallest, size = math.ldexp(1.0, form.exponent_min) if form.exponent_min <= FLOAT32.exponent_min else 0.0, np.abs(exact)
    return np.where(size < smallest, smallest, form.unit_roundoff * size)


MOST_COARSER = 5.0
"""Times the reference's error: how far off a right solution may be everywhere without another judgement. Twice this is a digit."""


def is_as_good(case: Case, coarser: float = 1.0) -> bool:
    """Whether every output of the solution is about as close to exact arithmetic as the reference's.

    A transform, even in float64, can't be closer than the rounding of its largest result, however small the others are.

    Args:
        coarser: how many times as far it is on the given inputs, on which it was judged as a whole.
    """
    triples = _leaves(case)
    if triples is None:
        return False
    sizes = [np.abs(exact.float64()) for _, _, exact in triples if exact.format is not None]
    least = FLOAT64.unit_roundoff * max((float(size[np.isfinite(size)].max(initial=0.0)) for size in sizes), default=0.0)
    for found, wanted, exact in triples:
        if found.has_bytes_of(wanted):
            continue
        if found.format is None:
            return False
        with np.errstate(all="ignore"):
            a, e, x = found.float64(), wanted.float64(), exact.float64()
            if not np.array_equal(np.isfinite(a), np.isfinite(e)) or not np.array_equal(np.isnan(a), np.isnan(e)):
                return False
            usable = np.isfinite(x) & np.isfinite(a)
            if not usable.any():
                continue
            own, other, ulps = np.abs(a - x)[usable], np.abs(e - x)[usable], unit(x[usable], found.format) + least
            if _rms(own) > coarser * (FARTHER * _rms(other) + _rms(ulps)):
                return False
            most = coarser * AN_ELEMENT
            if (own > most * (other + ulps)).mean() > FEW:
                # Where the reference is off by one rounding at the end alone, its error tells nothing of numbers of another size.
                usual = _usual(np.abs(e - x), usable)[usable] if _rms(other) > _rms(ulps) else 0.0
                if (own > most * (np.maximum(other, usual) + ulps)).mean() > FEW:
                    return False
    return True


LONG = 16
"""The fewest errors of which a quartile is taken."""
QUARTILE = 0.318639
"""Standard deviations of a normal distribution: three in four numbers are farther off. Where some inputs are much larger than the others,
up to three in four errors are too, and this still measures the small ones."""


def _usual(errors: Any, usable: Any) -> Any:
    """How far off the reference usually is around each element, from the lower quartile of its errors along the axis where that is least.

    Of the axes that are long enough; where none is, of all errors; 0 where even these are too few. Its own error there may be small by
    chance: of two errors drawn alike, one is over eight times the other in 8 of 100 cases.

    Args:
        errors: of the reference's results, not negative. usable: which count.
    """
    long = [axis for axis in range(errors.ndim) if errors.shape[axis] >= LONG]
    if not long:
        return _usual(errors.reshape(-1), usable.reshape(-1)).reshape(errors.shape) if errors.size >= LONG else np.zeros(errors.shape)
    sizes, least = np.where(usable, errors, np.inf), np.full(errors.shape, np.inf)
    for axis in long:
        count = np.count_nonzero(usable, axis=axis, keepdims=True)
        place = np.maximum(count - 1, 0) // 4  # of those that count: the others come last
        quartile = np.take_along_axis(np.sort(sizes, axis=axis), place, axis) / QUARTILE
        least = np.minimum(least, np.where(count < LONG, np.inf, quartile))
    return np.where(np.isfinite(least), least, 0.0)


def coarser_than_reference(case: Case) -> float:
    """How many times the reference's error plus half an ulp the solution's error is, at most `MOST_COARSER`."""
    found = 1.0
    for own, wanted, exact in _leaves(case) or []:
        if own.format is not None and own.stored.size:
            with np.errstate(all="ignore"):
                a, e, x = own.float64(), wanted.float64(), exact.float64()
                usable = np.isfinite(a) & np.isfinite(e) & np.isfinite(x)
                least = _rms((e - x)[usable]) + _rms(unit(x[usable], own.format))
                found = max(found, _rms((a - x)[usable]) / least if least else 1.0)
    return min(found, MOST_COARSER)


def is_exact(case: Case) -> bool:
    """Whether the reference gives the same numbers in float64, so that it rounds only where it is asked to."""
    exact = case.run("expected", LIFTED)
    if not isinstance(exact, Run):
        return False
    return all(
        leaf.path in exact.by_path and np.array_equal(leaf.float64(), exact.by_path[leaf.path].float64(), equal_nan=True)
        for leaf in case.native("expected").outputs
    )
