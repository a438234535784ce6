"""The few numbers that turn measurements into findings, each with its derivation.

`python -m benchmarks.verdicts.calibrate` prints the measurements that these rest on; the figures quoted here are from such a run
(2 cores of an AMD EPYC with AVX-512, torch 2.13.0, 8 samples).
"""

from __future__ import annotations

import functools
import math

FALSE_ALARM = 1e-3
"""Chance that honest rounding is called beyond rounding by one statistic, if its errors follow the sampled model. Conventional;
the two limits below follow from it and from the number of samples."""

MODEL_SLACK = 1.5
"""How much larger than modelled the errors of an honest implementation may be throughout. The model counts the roundings of a plain
chain; a few respectable algorithms make up to half as many again (a complex product made of three real ones: 1.34 of the modelled
norm; a chain that starts from a large bias: 1.49), and nothing honest that was measured makes more (section "honest
implementations")."""

FAST_PRODUCT_LOSS = 64.0
"""How far beyond the noise, in norm, a fast product (Winograd, FFT, Strassen) may be and still count as rounding.

The largest tile in use, Winograd F(6x6, 3x3) (NNPACK, cuDNN), loses up to 28 in float32 over 1 to 256 channels, F(4x4, 3x3)
up to 10, F(2x2, 3x3) and FFT up to 2.4, four levels of Strassen 5 (section "fast products"); twice the largest is allowed,
rounded up to a power of two. All are normwise stable only (Higham, Accuracy and Stability, 2nd ed., sections 23.2.2 and
24.1), so nothing is asked of single elements beyond the same factor."""

PRODUCT_LOSS = 32.0
"""The same for products inside a function: each product's noise is made this many times larger, in norm, before the limits of rounding
are asked again. The largest tile with one channel, the worst, loses 28 in norm and 25 limits at its worst element (section "fast
products"); rounded up to a power of two. What other ops lose is not covered by it."""

TOLERABLE_LOSS = 5.0
"""How many limits of rounding an algorithm without products may reach before it is called unstable: respectable reformulations
stay within 2.4 (section "reformulations"), algorithms known to lose digits lie beyond 8.3 (a one-pass variance with a mean of 10
standard deviations) and 71 (the other textbook cases; section "unstable"); the geometric mean of 2.4 and 8.3, rounded up."""

VANISHES = 2.0**-10
"""A difference that shrinks at least this much when 29 more bits are given is made of rounding: it went a third of the way, in
bits, where a formula's difference goes none and rounding goes all of it. Between the two sits what constants rounded to the
declared precision leave."""

SAME_SHARE = 0.5
"""If more than half of the differing elements of a float64 run are numbers of the declared format, the run was not lifted: a
float64 result is a float32 number by chance in one element of 2**29."""

EXPLAINED = 0.9
"""Share of the residual's square sum that a hypothesis must reproduce to be named. A wrong hypothesis reproduces nothing
(0.000), the right one all but the working precision's own rounding (0.9999; section "hypotheses")."""

ILL_CONDITIONED = 0.1
"""Where rounding alone may move the result by a tenth of its size, fewer than one digit is left to judge by."""

SYSTEMATIC = 0.5
"""Share of the residual's square sum that stays when the inputs move slightly, above which it is a function of the inputs and
not of rounding: redrawn rounding leaves about 1/repetitions of it (0.25 for 4; measured up to 0.36), a formula's difference
all (0.98 and more; section "redrawn errors")."""


@functools.lru_cache(maxsize=1024)
def student_quantile(probability: float, degrees: int) -> float:
    """The t that |T| exceeds with this probability, for Student's t with an even number of degrees of freedom.

    References:
        Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.4 (closed form for even degrees).

    Example:
        >>> round(student_quantile(0.001, 12), 2)
        4.32
    """
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = 0.5 * (low + high)
        if _student_tail(middle, degrees) > probability:
            low = middle
        else:
            high = middle
    return high


def _student_tail(t: float, degrees: int) -> float:
    """P(|T| > t). Far out, where the closed form cancels, the leading term of the tail's series."""
    if t * t > 1e3 * degrees:
        log_density = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
        return 2.0 * math.exp(log_density + 0.5 * (degrees + 1) * math.log(degrees) - math.log(degrees) - degrees * math.log(t))
    angle = math.atan(t / math.sqrt(degrees))
    cosine_squared = math.cos(angle) ** 2
    term, total = 1.0, 1.0
    for k in range(1, degrees // 2):
        term *= cosine_squared * (2 * k - 1) / (2 * k)
        total += term
    return max(0.0, 1.0 - math.sin(angle) * total)


def rms_limit(samples: int, *, slack: float = MODEL_SLACK) -> float:
    """The rms of error / spread that honest rounding stays below.

    In the worst case all elements share one rounding error (that of a mean, say); their rms is then a single |t|.
    """
    return slack * student_quantile(FALSE_ALARM, 2 * (samples // 2))


def max_limit(samples: int, count: int, *, slack: float = MODEL_SLACK) -> float:
    """The largest error / spread of `count` elements that honest rounding stays below (Bonferroni over the elements)."""
    return slack * student_quantile(FALSE_ALARM / max(1, count), 2 * (samples // 2))
