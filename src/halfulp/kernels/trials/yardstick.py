"""Yardsticks: how far off the reference would be in less than the declared precision, in the same units as errors."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...cases import Case
from ...differences import Leaf
from ...floats import BFLOAT16, FLOAT16, TF32
from ...noise import Noise, noise_of, residual_of, run_under
from ...ops.deviation import FIRST_SAMPLES
from ...verdicts.evidence.coarse import Coarse, coarsened
from ...words.numbers import number
from ..problems.calls import Setting, call


def yardsticks(target: Any, setting: Setting, declared: str | None) -> dict[str, float]:
    """The error (rms, in units of the noise) that the reference would have if it were computed in less than the declared precision.

    Args:
        target: the reference. setting: on what. declared: the precision, None for that of the data.

    Returns:
        By what is computed so ("bfloat16", "float16", "tf32 products", "float16 sums"); empty where that can't be measured, as for a
        reference whose ops can't be seen.

    Numerics:
        Measured, not modelled, but for sums in a 16-bit format: the reference is run in float64, and what it is given and what each op
        gives, or for TF32 what each product is given, is rounded to the format. Sums that are kept in 16 bits are sampled, see `noise_of`.
    """

    def expected(state: Any, *arguments: Any) -> Any:
        return call(target, state, arguments, setting.keywords, training=setting.training)[0]

    case = Case(expected, expected, (setting.state, *setting.arguments), declared=declared)
    try:
        noise = noise_of(case, samples=FIRST_SAMPLES)
        found = dict(_measured(case, noise))
    except Exception:  # whatever a reference makes of tensors that are watched
        return {}
    return {name: size for name, size in found.items() if math.isfinite(size) and size >= TELLS}


TELLS = 2.0
"""At most twice the noise is not worth mentioning as another precision: the op may only copy."""


def _measured(case: Case, noise: Noise) -> Iterator[tuple[str, float]]:
    if case.declared.storage_bits == 16:
        if any(noise.ops.get(kind) for kind in ("product", "sum", "scan")):
            coarse = noise_of(case, declared=case.declared, coarse_sums=True, samples=FIRST_SAMPLES)
            shares = [_rms(coarse.leaves[path].spread, known.spread) for path, known in noise.leaves.items() if path in coarse.leaves]
            yield f"{case.declared.name} sums", max(shares, default=0.0)
        return
    for form in (BFLOAT16, FLOAT16):
        if form.precision_bits < case.declared.precision_bits:
            stored = functools.partial(coarsened, target=form)
            yield form.name, _off(noise, run_under(case, "expected", Coarse(form, results="ops"), stored))
    if noise.has_products and TF32.precision_bits < case.declared.precision_bits:
        yield "tf32 products", _off(noise, run_under(case, "expected", Coarse(TF32, operands="both")))


def _rms(other: Any, one: Any) -> float:
    """The root mean square of a quotient, where there is one."""
    with np.errstate(all="ignore"):
        shares = np.asarray(other) / np.asarray(one)
    shares = shares[np.isfinite(shares)]
    return float(np.sqrt(np.mean(shares**2))) if shares.size else 0.0


def _off(noise: Noise, outputs: tuple[Leaf, ...]) -> float:
    """The largest rms error of an output."""
    sizes = [
        residual_of(leaf.float64(), noise.leaves[leaf.path]).rms_in_noise
        for leaf in outputs
        if leaf.format is not None and leaf.path in noise.leaves and np.isfinite(leaf.float64()).all()
    ]
    return max(sizes, default=0.0)


WORDS = {"tf32 products": "with products in TF32", "float16 sums": "with sums in float16", "bfloat16 sums": "with sums in bfloat16"}


def in_words(found: dict[str, float]) -> str:
    """The yardsticks as a sentence; "" if there are none."""
    parts = [f"{WORDS.get(name, f'in {name}')} by {number(float(f'{size:.3g}'))}" for name, size in found.items()]
    if not parts:
        return ""
    first, _, size = parts[0].rpartition(" by ")
    others = "".join(f", {part}" for part in parts[1:-1]) + (f" and {parts[-1]}" if len(parts) > 1 else "")
    return f"{first[0].upper()}{first[1:]} the reference itself would be off by {size} of these units{others}."
