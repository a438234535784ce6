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
from torch.utils._pytree import tree_map

from ...cases import Case
from ...cases.inputs import TORCH_DTYPES
from ...differences import Leaf
from ...floats import FORMATS, Format, is_representable
from ...noise import LeafNoise, Noise, noise_of, residual_of, run_under
from ...noise.noise import scaled_error
from ...noise.rules import EXACT, PRODUCTS
from .. import limits
from ..verdict import Verdict
from .evidence import Evidence
from .noise import excess

V = Verdict
CANDIDATES = ("float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


ADDENDS = ("addmm", "baddbmm", "addbmm", "addmv", "addr")
"""Products whose first argument is added, not multiplied."""


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
        name = func._schema.name.split("::")[1]
        is_product = name in PRODUCTS
        if is_product and self.operands:
            start = 1 if name in ADDENDS else 0
            places = {"both": (start, start + 1), "first": (start,), "second": (start + 1,)}[self.operands]
            if self.addends:
                places += (0,) if start else (2,) if name == "convolution" else ()
            args = tuple(self._coarse(each) if place in places else each for place, each in enumerate(args))
        result = func(*args, **(kwargs or {}))
        computes = self.results == "ops" and not func.is_view and name not in EXACT and not name.endswith("_")
        if computes or (is_product and self.results == "products"):
            return tree_map(self._coarse, result)
        return result

    def _coarse(self, value: Any) -> Any:
        return coarsened(value, self.target, truncated=self.truncated)


def coarsened(value: Any, target: Format, *, truncated: bool = False) -> Any:
    """A float64 tensor rounded to a format (through float32, where every operand of interest already is)."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
        return value
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
    for bits in dict.fromkeys(each.precision_bits for each in coarser):
        for tried in _hypotheses(case, noise, [each for each in coarser if each.precision_bits == bits]):
            best = max(best, tried, key=lambda each: each["explained"])
            if best["explained"] >= limits.EXPLAINED and _convincing(best["explained"], case):
                return Evidence("precision", "reproduced", (V.REDUCED_PRECISION,), best)
    if formula_is_right or _representable_in(case, coarser) is not None:
        named = _by_size(case, noise, coarser)
        if named is not None:
            return named
    return Evidence("precision", "not reproduced", (V.UNSTABLE, V.MISTAKE, V.FLIP), best)


GUESSES = 64
"""About so many combinations of format and place are tried."""


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
    return GUESSES * left ** (0.5 * count) <= limits.FALSE_ALARM


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
    Place("inputs and results of products, as autocast does", {"operands": "both", "results": "products"}),
    Place("results of products", {"results": "products"}),
    Place("the result of every op, as stored between ops", {"results": "ops"}),
)
"""Tried in this order; the first that reproduces the error is named."""


def _hypotheses(case: Case, noise: Noise, formats: list[Format]) -> Iterator[dict[str, Any]]:
    """What each place explains, for formats of one precision.

    Formats that explain the same (tf32 and float16 within float16's range) are named together.
    """
    for place in PLACES:
        if not noise.ops.get("product", 0) and place.options.get("results") != "ops":
            continue
        # tf32 is a way to take operands, not to store; truncation is known of formats that are float32 cut short.
        usable = [each for each in formats if not (place.options.get("results") and each.name == "tf32")]
        if place.options.get("truncated"):
            usable = [each for each in usable if each.name in ("tf32", "bfloat16")]
        if not usable:
            continue
        shares = {target.name: _explained(case, noise, Coarse(target, **place.options)) for target in usable}
        best = max(share for share, _ in shares.values())
        names = [name for name, (share, _) in shares.items() if share >= best - SAME_EXPLANATION]
        yield {"explained": best, "slope": shares[names[0]][1], "format": " or ".join(names), "where": place.where}


SAME_EXPLANATION = 1e-3
"""Two formats whose explained shares differ by less than this can't be told apart: the working precision's own rounding is that large."""


def _explained(case: Case, noise: Noise, mode: Coarse) -> tuple[float, float]:
    """Share of the error's square sum, in units of the noise, that the hypothesis reproduces, and its slope."""
    try:
        outputs = run_under(case, "expected", mode)
    except Exception:  # the function does not run with coarse operands: the hypothesis is not tested
        return 0.0, 0.0
    predicted = {leaf.path: leaf.numbers().astype(np.float64) for leaf in outputs}
    cross = square = predicted_square = 0.0
    for leaf in case.native("actual").outputs:
        spread, guess = noise.leaves.get(leaf.path), predicted.get(leaf.path)
        if leaf.format is None or spread is None or guess is None or guess.shape != leaf.stored.shape:
            continue
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            error = (leaf.numbers().astype(np.float64) - spread.reference) / spread.spread
            shift = (guess - spread.reference) / spread.spread
        usable = np.isfinite(error) & np.isfinite(shift)
        cross += float(np.sum(error[usable] * shift[usable]))
        square += float(np.sum(error[usable] ** 2))
        predicted_square += float(np.sum(shift[usable] ** 2))
    if not square or not predicted_square:
        return 0.0, 0.0
    # One minus the share that is left after subtracting the prediction as it is, without fitting a slope.
    left = (square - 2.0 * cross + predicted_square) / square
    return max(0.0, 1.0 - left), cross / predicted_square


def _by_size(case: Case, noise: Noise, coarser: list[Format]) -> Evidence | None:
    """The coarser format whose own rounding the error looks like: the one that the results are numbers of, or the one of nearest size."""
    representable = _representable_in(case, coarser)
    fitting: list[tuple[float, Format, float]] = []
    # Everything is within an 8-bit format's rounding: its size names nothing. Sums of 16-bit formats are accumulated in float32, so an
    # accumulator of the declared format itself is less than declared.
    accumulators = [case.declared] if case.declared.storage_bits == 16 else []
    usable = [each for each in coarser if each.storage_bits > 8 and (each.name != "tf32" or noise.has_products)]
    for target in [*accumulators, *usable]:
        coarse = noise_of(case, declared=target, coarse_sums=True)
        worst, size = 0.0, 0.0
        for leaf in case.native("actual").outputs:
            spread = coarse.leaves.get(leaf.path)
            if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
                continue
            residual = residual_of(leaf.numbers().astype(np.float64), spread, reference=noise.leaves[leaf.path].reference)
            if residual.count:
                worst, size = max(worst, excess(residual, coarse.count)), max(size, _typical(leaf, spread, noise))
        if worst <= 1.0 and (size >= HONEST_SIZE or representable == target.name):
            fitting.append((abs(math.log(size)) if size else math.inf, target, size))
    if not fitting:
        return None
    named = next((each for each in fitting if each[1].name == representable), min(fitting, key=lambda each: each[0]))
    return Evidence(
        "precision",
        "same size",
        (V.REDUCED_PRECISION,),
        {
            "format": named[1].name,
            "where": "accumulators of sums" if _adds(noise) else "results" if representable == named[1].name else "somewhere inside",
            "rms_in_its_noise": named[2],
            "representable": representable,
        },
    )


def _typical(leaf: Leaf, spread: LeafNoise, noise: Noise) -> float:
    """The median error in units of a format's noise: a format errs everywhere, an unstable algorithm where it is unstable."""
    error = leaf.numbers().astype(np.float64) - noise.leaves[leaf.path].reference
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
    sides = [[leaf for leaf in case.native(name).outputs if leaf.format is not None] for name in ("actual", "expected")]
    for target in coarser:
        whole = [all(bool(is_representable(leaf.numbers(), target).all()) for leaf in side) for side in sides]
        if whole[0] and not whole[1]:
            found = target.name
    return found
