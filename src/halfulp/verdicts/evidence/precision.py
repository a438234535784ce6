"""Is the error what computing in a coarser format makes? Tried by experiment, format by format.

Two kinds of experiment. Rounding the *inputs* of every product is deterministic, so a right guess reproduces the error
element by element (TF32 and bfloat16 tensor cores, weights stored in 16 bits). Computing *everything* in a coarser format
leaves an error of that format's size that depends on the order, so there the size is compared, and whether the results are
numbers of that format.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ...cases import Case
from ...cases.inputs import TORCH_DTYPES
from ...floats import FORMATS, Format, is_representable
from ...noise import Noise, noise_of, residual_of, run_under
from ...noise.rules import PRODUCTS
from .. import limits
from ..verdict import Verdict
from .evidence import Evidence
from .noise import excess

V = Verdict
CANDIDATES = ("float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
OPERANDS = ("both", "first", "second")


class CoarseProducts(TorchDispatchMode):
    """Rounds the operands of every product to a coarser format before the product is formed."""

    def __init__(self, target: Format, operands: str) -> None:
        super().__init__()
        self.target = target
        self.operands = operands

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name.split("::")[1]
        if name not in PRODUCTS:
            return func(*args, **(kwargs or {}))
        # The addend of addmm comes first and is not multiplied.
        start = 1 if name in ("addmm", "baddbmm", "addbmm", "addmv", "addr") else 0
        places = {"both": (start, start + 1), "first": (start,), "second": (start + 1,)}[self.operands]
        rounded = tuple(coarsened(each, self.target) if place in places else each for place, each in enumerate(args))
        return func(*rounded, **(kwargs or {}))


def coarsened(value: Any, target: Format) -> Any:
    """A float64 tensor rounded to a format (through float32, where every operand of interest already is)."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float64:
        return value
    if target.name != "tf32":
        return value.to(TORCH_DTYPES[target.name]).to(torch.float64)
    bits = value.to(torch.float32).contiguous().view(torch.int32)
    # Round to nearest even on the 13 bits that TF32 drops.
    bits = (bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF
    return bits.view(torch.float32).to(torch.float64).view(value.shape)


def precision(case: Case, noise: Noise, *, formula_is_right: bool) -> Evidence:
    """The coarser format, and where it was used, that reproduces the error of `actual`.

    Args:
        formula_is_right: whether other evidence says that the error would vanish in exact arithmetic; only then may the size of the
            error alone name a format.
    """
    coarser = [FORMATS[name] for name in CANDIDATES if FORMATS[name].precision_bits < case.declared.precision_bits]
    best: dict[str, Any] = {"explained": 0.0}
    if noise.ops.get("product", 0):
        for bits in dict.fromkeys(each.precision_bits for each in coarser):
            best = max(
                [best, *_hypotheses(case, noise, [each for each in coarser if each.precision_bits == bits])],
                key=lambda each: each["explained"],
            )
            if best["explained"] >= limits.EXPLAINED:
                return Evidence("precision", "reproduced", (V.REDUCED_PRECISION,), best)
    if formula_is_right:
        named = _by_size(case, noise, coarser)
        if named is not None:
            return named
    return Evidence("precision", "not reproduced", (V.UNSTABLE, V.MISTAKE, V.FLIP), best)


def _hypotheses(case: Case, noise: Noise, formats: list[Format]) -> list[dict[str, Any]]:
    """What each choice of operands explains, for formats of one precision.

    Formats that explain the same (tf32 and float16 within float16's range) are named together.
    """
    found: list[dict[str, Any]] = []
    for operands in OPERANDS:
        shares = {target.name: _explained(case, noise, target, operands) for target in formats}
        best = max(share for share, _ in shares.values())
        names = [name for name, (share, _) in shares.items() if share >= best - SAME_EXPLANATION]
        found.append({"explained": best, "slope": shares[names[0]][1], "format": " or ".join(names), "where": _WHERE[operands]})
    return found


SAME_EXPLANATION = 1e-3
"""Two formats whose explained shares differ by less than this can't be told apart: the working precision's own rounding is that large."""
_WHERE = {"both": "inputs of products", "first": "first operand of products", "second": "second operand of products (weights)"}


def _explained(case: Case, noise: Noise, target: Format, operands: str) -> tuple[float, float]:
    """Share of the error's square sum, in units of the noise, that the hypothesis reproduces, and its slope."""
    try:
        outputs = run_under(case, "expected", CoarseProducts(target, operands))
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
    # Everything is within an 8-bit format's rounding: its size names nothing.
    for target in [each for each in coarser if each.storage_bits > 8]:
        coarse = noise_of(case, declared=target, coarse_sums=True)
        worst, size = 0.0, 0.0
        for leaf in case.native("actual").outputs:
            spread = coarse.leaves.get(leaf.path)
            if leaf.format is None or spread is None or spread.reference.shape != leaf.stored.shape:
                continue
            residual = residual_of(leaf.numbers().astype(np.float64), spread, reference=noise.leaves[leaf.path].reference)
            if residual.count:
                worst, size = max(worst, excess(residual, coarse.count)), max(size, residual.rms_in_noise)
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
            "where": "results" if representable == named[1].name else "somewhere inside",
            "rms_in_its_noise": named[2],
            "representable": representable,
        },
    )


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
