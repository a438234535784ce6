"""Counts of right and wrong answers, with the interval that the true rate lies in."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def wilson_interval(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """The score interval of a rate: unlike successes / trials +- z sigma it is sound for rates near 0 and 1.

    References:
        Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).

    Example:
        >>> low, high = wilson_interval(0, 2000)
        >>> round(low, 6), round(high, 4)
        (0.0, 0.0019)
    """
    if not trials:
        return 0.0, 1.0
    rate = successes / trials
    center = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z / (1 + z * z / trials) * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return max(0.0, center - reach), min(1.0, center + reach)


@dataclass(frozen=True)
class Rate:
    """How often something happened."""

    count: int
    of: int

    @property
    def value(self) -> float:
        """The observed rate."""
        return self.count / self.of if self.of else 0.0

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return wilson_interval(self.count, self.of)[1]

    def __str__(self) -> str:
        low, high = wilson_interval(self.count, self.of)
        return f"{self.count}/{self.of} ({100 * self.value:.2f} %, 95 % interval {100 * low:.2f} to {100 * high:.2f} %)"
