"""How large accumulated rounding can be: the proved bound and the probabilistic one."""

from __future__ import annotations

import math


def gamma(n: float, unit_roundoff: float) -> float:
    """gamma_n = n u / (1 - n u): the worst relative effect of n roundings.

    Returns:
        A bound (proved); infinity where n u >= 1, where it says nothing.

    Numerics:
        Proved for round to nearest without overflow or underflow, in any order of n operations.

    Example:
        >>> f"{gamma(1024, 2.0**-24):.4g}"
        '6.104e-05'

    References:
        Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Lemma 3.1.
    """
    product = n * unit_roundoff
    return product / (1.0 - product) if product < 1.0 else math.inf


def probabilistic_gamma(n: float, unit_roundoff: float, *, deviations: float = 3.0) -> float:
    """exp(lambda sqrt(n) u + n u^2 / (1 - u)) - 1: what n roundings with independent, mean-zero errors do with high probability.

    Args:
        n: number of roundings.
        unit_roundoff: u.
        deviations: lambda; one product of n factors stays within the bound with probability at least
            1 - 2 exp(-lambda^2 (1 - u)^2 / 2).

    Returns:
        An estimate (it assumes a model of the errors), about lambda sqrt(n) u.

    Example:
        >>> f"{probabilistic_gamma(1024, 2.0**-24):.4g}"
        '5.722e-06'

    References:
        Higham and Mary, "A new approach to probabilistic rounding error analysis", SISC 41(5), 2019, Theorem 2.4.
    """
    return math.expm1(deviations * math.sqrt(n) * unit_roundoff + n * unit_roundoff**2 / (1.0 - unit_roundoff))
