"""How far honest rounding gets, in units of the sampled noise: the two limits that every error is held against."""

from __future__ import annotations

import functools

FALSE_ALARM = 1e-3
"""Chance that honest rounding is called beyond rounding by one statistic, if its errors follow the sampled model. Conventional;
the two limits below follow from it and from the number of samples."""

MODEL_SLACK = 1.5
"""How much larger than modeled the errors of an honest implementation may be throughout. The model counts the roundings of a plain
chain; a few respectable algorithms make up to half as many again (a complex product made of three real ones: 1.34 of the modeled
norm; a chain that starts from a large bias: 1.49), and nothing honest that was measured makes more (section "honest
implementations")."""


@functools.lru_cache(maxsize=4096)
def student_quantile(probability: float, degrees: int) -> float:
    """The t that |T| exceeds with this probability, for Student's t with so many degrees of freedom.

    Example:
        >>> round(student_quantile(0.001, 12), 2)
        4.32
    """
    from scipy.special import stdtrit  # a fifth of a second to load

    return -float(stdtrit(degrees, 0.5 * probability))


def rms_limit(samples: int, *, tests: int = 1, slack: float = MODEL_SLACK) -> float:
    """The rms of error / spread that honest rounding stays below.

    In the worst case all elements share one rounding error (that of a mean, say); their rms is then a single |t|.

    Args:
        samples: of the noise. tests: how many values are judged together, which share the chance of a false alarm (Bonferroni).
        slack: 1.0 where the rounding of data is all there can be, which the model gets right.
    """
    return slack * student_quantile(FALSE_ALARM / tests, samples)


def max_limit(samples: int, count: int, *, tests: int = 1, slack: float = MODEL_SLACK) -> float:
    """The largest error / spread of `count` elements that honest rounding stays below (Bonferroni over the elements)."""
    return rms_limit(samples, tests=tests * max(1, count), slack=slack)
