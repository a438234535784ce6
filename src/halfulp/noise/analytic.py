"""The analytic form, for functions that are one sum of products: the componentwise backward error, and what it may be.

For y = sum a_k b_k computed in any order, |y - exact| <= gamma_h sum |a_k||b_k|, h the depth of the summation tree. The error in units of
u sum |a_k||b_k| is therefore the number of roundings that it is worth, whatever the data; sums, products, linear layers and convolutions
have it, with or without a bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..cases import Case, Run
from ..cases.trees import tree_map
from ..ops import Kind, called
from ..process.dispatch import DispatchMode
from .noise import Noise
from .passes import run_under
from .rules import terms_of_product

DEVIATIONS = 3.0
"""How many times the root of the depth an honest error may reach: with lambda = 3 the probabilistic bound of Higham and Mary (2019, Theorem
2.4) fails with probability at most 2 exp(-4.5) = 0.02 for one result, and usually far less, because h is the largest possible depth."""


@dataclass(frozen=True)
class BackwardError:
    """The error of one run of a sum of products.

    Attributes:
        path: which output.
        eta: largest |actual - reference| / (u sum |a_k||b_k|).
        terms: how many products are summed, the largest possible depth h.
        estimate: what rounding reaches, see `reach`. bound: h, what it can't exceed (proved, to first order).
    """

    path: str
    eta: float
    terms: int
    estimate: float
    bound: float


class _NotOneSum(Exception):
    """The function computes something else than a sum of products."""


class Magnitudes(DispatchMode):
    """Computes sum |a_k||b_k| in place of sum a_k b_k.

    Attributes:
        terms: how many products meet in one result.
    """

    def __init__(self) -> None:
        super().__init__()
        self.terms = 0
        self._sums = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, record = called(func)
        if func.is_view or record.is_exact:
            return func(*args, **kwargs)
        if record.adds and not kwargs:
            self.terms += 1
            return torch.ops.aten.add(*tree_map(_magnitude, args))
        is_product = record.kind is Kind.PRODUCT and name != "convolution_backward"
        if (is_product or name in ("sum", "mean")) and not {"alpha", "beta"} & kwargs.keys():
            self._sums += 1
            if self._sums > 1:
                raise _NotOneSum
            result = func(*tree_map(_magnitude, args), **kwargs)
            self.terms += terms_of_product(name, args) if is_product else args[0].numel() // max(1, result.numel())
            return result
        raise _NotOneSum


def _magnitude(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
        return value.abs()
    return abs(value) if isinstance(value, float) else value


def reach(terms: int) -> float:
    """What h roundings in a row reach, in u: `DEVIATIONS` sqrt(h) (probabilistic), and no more than h, which is proved."""
    return min(DEVIATIONS * math.sqrt(terms), float(terms))


def backward_error(case: Case, run: Run, noise: Noise) -> BackwardError | None:
    """The componentwise backward error of a run.

    Returns:
        None where `expected` is not a single sum of products (with at most additions around it), or its ops can't be seen.

    References:
        Higham, Accuracy and Stability, 2nd ed., sections 3.1 and 3.5.
    """
    if sum(noise.ops.get(kind, 0) for kind in ("product", "sum")) > 1 or case.declared.storage_bits < 32 or case.declared.name == "tf32":
        return None  # known without another run
    mode = Magnitudes()
    try:
        magnitudes = {leaf.path: leaf.float64() for leaf in run_under(case, "expected", mode)}
    except Exception:  # _NotOneSum, or a function that does not run in float64: then there is no analytic form
        return None
    if not mode.terms:
        return None
    for leaf in run.outputs:
        spread, scale = noise.leaves.get(leaf.path), magnitudes.get(leaf.path)
        if leaf.format is None or spread is None or scale is None or scale.shape != spread.reference.shape or not scale.size:
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.abs(leaf.float64() - spread.reference)
            eta = np.where(error == 0, 0.0, error / (case.declared.unit_roundoff * scale))
        largest = float(np.max(eta[np.isfinite(eta)], initial=0.0))
        return BackwardError(leaf.path, largest, mode.terms, reach(mode.terms), bound=float(mode.terms))
    return None
