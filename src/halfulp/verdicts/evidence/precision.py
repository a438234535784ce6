"""Is the error what computing in a coarser format makes? Tried by experiment, format by format.

Two kinds of experiment. Rounding the inputs or results of ops is deterministic, so a right guess reproduces the error element by
element (TF32 and bfloat16 tensor cores, weights stored in 16 bits, autocast, storage between ops). An *accumulator* in a coarser
format leaves an error of that format's size that depends on the order, so there the size is compared, and whether the results
are numbers of that format.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ...cases import GIVEN, Case, Change, Inputs, Run, Unavailable, Variant
from ...cases.inputs import TORCH_DTYPES
from ...cases.trees import tree_map
from ...differences import Leaf
from ...differences.allowance import FALSE_ALARM
from ...floats import FORMATS, Format, is_representable
from ...noise import LeafNoise, Noise, noise_of, residual_of, run_under
from ...noise.noise import scaled_error
from ...ops import Kind, called
from .. import limits
from .evidence import Evidence
from .finding import Finding

F = Finding
CANDIDATES = ("float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


class Coarse(TorchDispatchMode):
    """Computes in float64, but rounds some numbers to a coarser format on the way.

    Args:
        target: the coarser format.
        operands: which operands of products are rounded: "both", "first", "second" or "".
        addends: whether what products add (biases) is rounded too.
        results: whose results are rounded: "products", "ops" (all that compute) or "".
        truncated: drops the low bits instead of rounding to nearest.
    """

    def __init__(self, target: Format, *, operands: str = "", addends: bool = False, results: str = "", truncated: bool = False) -> None:
        super().__init__()
        self.target = target
        self.addends = addends
        self.operands = operands
        self.results = results
        self.truncated = truncated

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, record = called(func)
        is_product = record.kind is Kind.PRODUCT
        if is_product and self.operands:
            start = 1 if record.addend == 0 else 0
            places = {"both": (start, start + 1), "first": (start,), "second": (start + 1,)}[self.operands]
            if self.addends and record.addend is not None:
                places += (record.addend,)
            args = tuple(self._coarse(argument) if place in places else argument for place, argument in enumerate(args))
        result = func(*args, **(kwargs or {}))
        computes = self.results == "ops" and not func.is_view and not record.is_exact and not name.endswith("_")
        if computes or (is_product and self.results == "products"):
            return tree_map(self._coarse, result)
        return result

    def _coarse(self, value: Any) -> Any:
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]  # our own ops are nobody else's: they pass no other mode
            return coarsened(value, self.target, truncated=self.truncated)


def coarsened(value: Any, target: Format, *, truncated: bool = False) -> Any:
    """A float64 tensor rounded to a format (through float32, where every operand of interest already is)."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
        return value
    if target.name == "float16" and truncated:
        exponents = torch.frexp(value).exponent.clamp_min(target.exponent_min + 1) - target.precision_bits
        step = torch.ldexp(torch.ones_like(value), exponents)
        cut = (torch.trunc(value / step) * step).clamp(-target.max_finite, target.max_finite)
        return torch.where(torch.isfinite(value), cut, value)
    dropped = {"tf32": 13, "bfloat16": 16}.get(target.name)
    if dropped is None or (target.name == "bfloat16" and not truncated):
        return value.to(TORCH_DTYPES[target.name]).to(torch.float64)
    bits = value.to(torch.float32).contiguous().view(torch.int32)
    if not truncated:  # to nearest even
        bits = bits + ((1 << (dropped - 1)) - 1) + ((bits >> dropped) & 1)
    return (bits & -(1 << dropped)).view(torch.float32).to(torch.float64).view(value.shape)


def precision(case: Case, noise: Noise, *, formula_is_right: bool) -> Evidence:
    """The coarser format, and where it was used, that reproduces the error of `actual`.

    Args:
        formula_is_right: whether other evidence says that the error would vanish in exact arithmetic; only then, or where every result
            is a number of a coarser format, may the size of the error name a format.
    """
    coarser = [FORMATS[name] for name in CANDIDATES if FORMATS[name].precision_bits < case.declared.precision_bits]
    best: dict[str, Any] = {"explained": 0.0}
    related: dict[str, dict[str, Any]] = {}
    for bits in dict.fromkeys(float_format.precision_bits for float_format in coarser):
        for tried in _hypotheses(case, noise, [float_format for float_format in coarser if float_format.precision_bits == bits]):
            best = max(best, tried, key=lambda entry: entry["explained"])
            if best["explained"] >= limits.EXPLAINED and _convincing(best["explained"], case):
                return Evidence("precision", F.REPRODUCED, measured=best)
            if tried["deviations"] >= CHANCE:
                related[tried["format"]] = max(related.get(tried["format"], tried), tried, key=lambda entry: entry["correlated"])
    for tried in sorted(related.values(), key=lambda entry: -entry["correlated"]):
        target = FORMATS[tried["format"].split(" or ")[0]]
        if _has_size_of(case, noise, target):
            return Evidence("precision", F.CORRELATES, measured=tried)
    if formula_is_right or _representable_in(case, coarser) is not None:
        named = _by_size(case, noise, coarser)
        if named is not None:
            return named
    return Evidence("precision", F.NOT_REPRODUCED, measured=best)


GUESSES = 64
"""About so many combinations of format and place are tried."""

PART = 0.1
"""Least share of an error that one place of rounding has to make up, as a function of the inputs: one of ten alike."""

CHANCE = 4.3
"""Standard deviations of a correlation by chance that none of GUESSES reaches with a probability of `FALSE_ALARM`: the normal
quantile of FALSE_ALARM / GUESSES on both sides."""


def _convincing(explained: float, case: Case) -> bool:
    """Whether so much could hardly be reproduced by chance.

    A guess of the right size leaves a share s of the squared error of n elements with a probability of about s^(n/2), the part of an
    n-dimensional ball that lies within that distance of the error.
    """
    pairs = {leaf.path: leaf for leaf in case.native("expected").outputs}
    count = sum(
        int(np.count_nonzero(leaf.numbers() != pairs[leaf.path].numbers()))
        for leaf in case.native("actual").outputs
        if leaf.format is not None and leaf.path in pairs and pairs[leaf.path].stored.shape == leaf.stored.shape
    )
    left = max(1.0 - explained, 1e-16)
    return GUESSES * left ** (0.5 * count) <= FALSE_ALARM


class Place(NamedTuple):
    """Where a hypothesis rounds, in words and as options of `Coarse`."""

    where: str
    options: dict[str, Any]


PLACES = (
    Place("inputs of products", {"operands": "both"}),
    Place("first operand of products", {"operands": "first"}),
    Place("second operand of products (weights)", {"operands": "second"}),
    Place("weights and biases", {"operands": "second", "addends": True}),
    Place("inputs of products, by truncation", {"operands": "both", "truncated": True}),
    Place("second operand of products (weights), by truncation", {"operands": "second", "truncated": True}),
    Place("inputs and results of products, as autocast does", {"operands": "both", "results": "products"}),
    Place("results of products", {"results": "products"}),
    Place("result of every op, as stored between ops", {"results": "ops"}),
    Place("inputs and weights, as stored", {"stored": True}),
    Place("inputs and weights, as stored, and inputs of products", {"stored": True, "operands": "both"}),
    Place("inputs, weights and the result of every op, as stored", {"stored": True, "results": "ops"}),
)
"""Tried in this order; the first that reproduces the error is named."""


def _hypotheses(case: Case, noise: Noise, formats: list[Format]) -> Iterator[dict[str, Any]]:
    """What each place explains, for formats of one precision.

    Formats that explain the same (tf32 and float16 within float16's range) are named together.
    """
    for place in PLACES:
        of_products = "operands" in place.options or place.options.get("results") == "products"
        if of_products and not noise.ops.get("product", 0):
            continue
        # tf32 is a way to take operands, not to store. Truncation is how the first tensor cores took theirs, and how ncnn stores weights in
        # float16; the 8-bit formats are known by rounding to nearest alone.
        usable = [candidate for candidate in formats if not ({"results", "stored"} & {*place.options} and candidate.name == "tf32")]
        if place.options.get("truncated"):
            usable = [float_format for float_format in usable if float_format.storage_bits > 8]
        if not usable:
            continue
        options = {key: value for key, value in place.options.items() if key != "stored"}
        shares = {
            target.name: _explained(case, noise, Coarse(target, **options), target if "stored" in place.options else None)
            for target in usable
        }
        best = max(share.explained for share in shares.values())
        names = [name for name, share in shares.items() if share.explained >= best - SAME_EXPLANATION]
        if place.options.get("operands") in ("first", "second") and {"tf32", "float16"} <= {*names}:
            names.remove("tf32")  # which hardware takes both operands in: what is coarse alone was stored so
        yield {**shares[names[0]]._asdict(), "explained": best, "format": " or ".join(names), "where": place.where}


SAME_EXPLANATION = 1e-3
"""Two formats whose explained shares differ by less than this can't be told apart: the working precision's own rounding is that large."""


class Share(NamedTuple):
    """What a hypothesis makes of an error.

    Attributes:
        explained: share of the error's square sum, in units of the noise, that is gone once the prediction is subtracted as it is.
        slope: of the error on the prediction. correlated: the share that is gone with that slope. deviations: how far the correlation is
            from none, in standard deviations of chance.
    """

    explained: float = 0.0
    slope: float = 0.0
    correlated: float = 0.0
    deviations: float = 0.0


def _explained(case: Case, noise: Noise, mode: Coarse, stored: Format | None) -> Share:
    """What rounding in one place in one format predicts of the error; with `stored`, rounding of all data to that format too."""
    found = _error_and_shift(case, noise, mode, stored, GIVEN)
    if found is None:
        return Share()
    error, shift = found
    cross, square, predicted = float(error @ shift), float(error @ error), float(shift @ shift)
    if not square or not predicted:
        return Share()
    correlated = max(0.0, cross) ** 2 / (square * predicted)
    # Everything is within the rounding of an 8-bit format, so a correlation with one tells nothing.
    told = correlated >= PART and mode.target.storage_bits > 8
    deviations = _redrawn_correlation(case, noise, mode, stored) if told else 0.0
    return Share(max(0.0, 1.0 - (square - 2.0 * cross + predicted) / square), cross / predicted, correlated, deviations)


DRAWS = 8
"""Inputs on which a correlation is looked at: eight times the results of one run, less one for the mean that is taken off."""


def _redrawn_correlation(case: Case, noise: Noise, mode: Coarse, stored: Format | None) -> float:
    """How far error and prediction go together when rounding is drawn anew, in standard deviations of chance.

    Of both, what is the same on all inputs is taken off: another formula's error is that, and so is what rounded weights do; whatever two
    such things have in common is chance of a single draw, however many results there are.
    """
    draws = [_error_and_shift(case, noise, mode, stored, Inputs(Change.MOVED_WIDELY, k)) for k in range(DRAWS)]
    usable = [draw for draw in draws if draw is not None and draw[0].size == (draws[0] or draw)[0].size]
    if len(usable) < 2:
        return 0.0
    errors, shifts = (np.stack([entry[k] for entry in usable]) for k in range(2))
    apart = errors - errors.mean(0)
    if float(np.sum(apart**2)) < PART * float(np.sum(errors**2)):
        return 0.0  # hardly anything of the error is redrawn: what is left of it follows the inputs, as rounded weights do
    products = apart * (shifts - shifts.mean(0))
    # With independent signs products add up to the root of their squares' sum.
    size = math.sqrt(float(np.sum(products**2)))
    return float(np.sum(products)) / size if size else 0.0


def _error_and_shift(
    case: Case, noise: Noise, mode: Coarse, stored: Format | None, inputs: Inputs
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
    """The error of `actual` and what a hypothesis predicts for it, in units of the noise; None where a side does not run so."""
    actual = case.native("actual") if inputs == GIVEN else case.run("actual", Variant(inputs=inputs))
    exact = case.run("expected", Variant(case.finest, inputs)) if inputs != GIVEN else None
    if not isinstance(actual, Run) or isinstance(exact, Unavailable):
        return None
    try:
        outputs = run_under(case, "expected", mode, None if stored is None else lambda value: coarsened(value, stored), inputs)
    except Exception:  # the function does not run with coarse operands: the hypothesis is not tested
        return None
    predicted = {leaf.path: leaf.float64() for leaf in outputs}
    references = {leaf.path: leaf.float64() for leaf in exact.outputs} if exact is not None else {}
    errors: list[np.ndarray[Any, Any]] = [np.zeros(0)]
    shifts: list[np.ndarray[Any, Any]] = [np.zeros(0)]
    for leaf in actual.outputs:
        spread, guess = noise.leaves.get(leaf.path), predicted.get(leaf.path)
        if leaf.format is None or spread is None or guess is None or guess.shape != leaf.stored.shape:
            continue
        reference: Any = references.get(leaf.path, spread.reference)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            error = (leaf.float64() - reference) / spread.spread
            shift = (guess - reference) / spread.spread
        # Where a format leaves nothing of a result, whatever else leaves nothing is "reproduced": that tells no format.
        lost = (guess == 0) & (reference != 0)
        usable = np.isfinite(error) & np.isfinite(shift) & ~lost
        errors.append(np.where(usable, error, 0.0).reshape(-1))
        shifts.append(np.where(usable, shift, 0.0).reshape(-1))
    return np.concatenate(errors), np.concatenate(shifts)


def _has_size_of(case: Case, noise: Noise, target: Format) -> bool:
    """Whether no element is further off than rounding to that format may put it."""
    coarse = noise_of(case, declared=target, coarse_sums=True)
    for leaf in case.native("actual").outputs:
        spread = coarse.leaves.get(leaf.path)
        if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
            continue
        residual = residual_of(leaf.float64(), spread, reference=noise.leaves[leaf.path].reference)
        if residual.count and residual.excess(coarse.count).of_limit > 1.0:
            return False
    return True


def _by_size(case: Case, noise: Noise, coarser: list[Format]) -> Evidence | None:
    """The coarser format whose own rounding the error looks like: the one that the results are numbers of, or the one of nearest size."""
    representable = _representable_in(case, coarser)
    fitting: list[tuple[float, Format, float]] = []
    # Everything is within an 8-bit format's rounding: its size names nothing. Sums of 16-bit formats are accumulated in float32, so an
    # accumulator of the declared format itself is less than declared.
    accumulators = [case.declared] if case.declared.storage_bits == 16 else []
    usable = [
        float_format for float_format in coarser if float_format.storage_bits > 8 and (float_format.name != "tf32" or noise.has_products)
    ]
    for target in [*accumulators, *usable]:
        coarse = noise_of(case, declared=target, coarse_sums=True)
        if _leaves_nothing(coarse):
            continue
        worst, size = 0.0, 0.0
        for leaf in case.native("actual").outputs:
            spread = coarse.leaves.get(leaf.path)
            if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
                continue
            residual = residual_of(leaf.float64(), spread, reference=noise.leaves[leaf.path].reference)
            if residual.count:
                worst, size = max(worst, residual.excess(coarse.count).of_limit), max(size, _typical(leaf, spread, noise))
        if worst <= 1.0 and size >= HONEST_SIZE:
            fitting.append((abs(math.log(size)) if size else math.inf, target, size))
    if not fitting:
        return None
    named = next((entry for entry in fitting if entry[1].name == representable), min(fitting, key=lambda entry: entry[0]))
    return Evidence(
        "precision",
        F.SAME_SIZE,
        measured={
            "format": named[1].name,
            "where": "accumulators of sums" if _adds(noise) else "results" if representable == named[1].name else "somewhere inside",
            "rms_in_its_noise": named[2],
            "representable": representable,
        },
    )


def _leaves_nothing(coarse: Noise) -> bool:
    """Whether rounding to the format leaves less than a digit of most results: everything is within it."""
    shares = [
        float(np.median(known.spread[known.reference != 0] / np.abs(known.reference[known.reference != 0])))
        for known in coarse.leaves.values()
        if np.count_nonzero(known.reference)
    ]
    return bool(shares) and min(shares) > limits.ILL_CONDITIONED


def _typical(leaf: Leaf, spread: LeafNoise, noise: Noise) -> float:
    """The median error in units of a format's noise: a format errs everywhere, an unstable algorithm where it is unstable."""
    error = leaf.float64() - noise.leaves[leaf.path].reference
    return float(np.median(np.abs(scaled_error(error, spread.spread)))) if error.size else 0.0


def _adds(noise: Noise) -> bool:
    """Whether the function adds: rounding of operands and results having been tried, an accumulator is what is left."""
    return any(noise.ops.get(kind, 0) for kind in ("product", "sum", "scan", "scattered"))


HONEST_SIZE = 0.1
"""An honest implementation's error is rarely below a tenth of the modelled noise (`benchmarks/verdicts/calibrate.py`, section "honest
implementations": only long sums added pairwise are), so an error below a tenth of a format's noise was not made by that format."""


def _representable_in(case: Case, coarser: list[Format]) -> str | None:
    """The coarsest of the formats that all of `actual`'s results are numbers of, if `expected`'s are not."""
    found: str | None = None
    pairs = {leaf.path: leaf.numbers() for leaf in case.native("expected").outputs if leaf.format is not None}
    sides: tuple[list[Any], list[Any]] = ([], [])
    for leaf in case.native("actual").outputs:
        if leaf.format is not None and leaf.path in pairs and pairs[leaf.path].shape == leaf.shape:
            numbers, peers = leaf.numbers(), pairs[leaf.path]
            kept = (numbers != 0) | (peers == 0)  # where nothing is left, any format holds it
            sides[0].append(numbers[kept])
            sides[1].append(peers[kept])
    if not any(np.count_nonzero(numbers) for numbers in sides[0]):
        return None
    for target in coarser:
        whole = [all(bool(is_representable(numbers, target).all()) for numbers in side) for side in sides]
        if whole[0] and not whole[1]:
            found = target.name
    return found
