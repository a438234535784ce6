"""The few numbers that turn measurements into findings, each with its derivation.

`python -m benchmarks.verdicts.calibrate` prints the measurements that these rest on; the figures quoted here are from such a run
(2 cores of an AMD EPYC with AVX-512, torch 2.13.0, 8 samples).
"""

from __future__ import annotations

FAST_PRODUCT_LOSS = 64.0
"""How far beyond the noise, in norm, a fast product (Winograd, FFT, Strassen) may be and still count as rounding.

The largest tile in use, Winograd F(6x6, 3x3) (NNPACK, cuDNN), loses up to 28 in float32 over 1 to 256 channels, F(4x4, 3x3)
up to 10, F(2x2, 3x3) and FFT up to 2.4, four levels of Strassen 5 (section "fast products"); twice the largest is allowed,
rounded up to a power of two. All are normwise stable only (Higham, Accuracy and Stability, 2nd ed., sections 23.2.2 and
24.1), so nothing is asked of single elements beyond the same factor."""

PRODUCT_LOSS = 32.0
"""The same for products inside a function: each product's noise is made this many times larger, in norm, before the limits of rounding
are asked again. The largest tile with one channel, the worst, loses 28 in norm and 25 limits at its worst element (section "fast
products"); rounded up to a power of two. What other ops lose is not covered by it, nor what a matrix product loses where its result is
stored: see `Deviation.in_norm`."""

TOLERABLE_LOSS = 5.0
"""How many limits of rounding an algorithm without products may reach before it is called unstable: respectable reformulations
stay within 2.4 (section "reformulations"), algorithms known to lose digits lie beyond 8.3 (a one-pass variance with a mean of 10
standard deviations) and 71 (the other textbook cases; section "unstable"); the geometric mean of 2.4 and 8.3, rounded up."""

VANISHES = 2.0**-10
"""A difference that shrinks at least this much when 29 more bits are given is made of rounding: it went a third of the way, in
bits, where a formula's difference goes none and rounding goes all of it. Between the two sits what constants rounded to the
declared precision leave."""

SHORT_CONSTANTS = 2.0**-6
"""Share of the noise that is left to constants which are written with one digit more than float32 holds: nine digits are off by up to
5e-10, 0.008 u. An op that multiplies by one and rounds its result has a noise of 0.42 u, so two of those have 0.6 u: a share of 0.014.
Rounded up to a power of two."""

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

AMPLIFIED = 2.0
"""How many roundings' worth of error results in 16 bits may have beyond the root of the number of ops, each of which rounds once
(`forward_error`). Honest functions, written op by op or with float32 inside, reach 0.7, residual networks of 2 to 48 layers stay below
the root, those that keep an angle, a cancelling step or a running sum in 16 bits begin at 4.7 (section "forward errors"); the geometric
mean, rounded up."""

FINER = 2.0
"""How many times closer to the reference `expected` has to be for `forward_error` to be asked, and for single modules to be looked at where
the whole is within rounding: two sides that compute in one format err alike, and an amplified step is off by three roundings at least,
where `expected` has less than one."""

REPETITIONS = 4
"""How often inputs are moved. Redrawn rounding leaves 1/4 of its square sum in the mean of four, which `SYSTEMATIC` tells from a whole
with room on both sides; each repetition costs a run of both sides."""

ONE_CONSTANT = 1.5
"""In u: the factor by which all results may lean. A constant that is rounded once is off by up to one u, which is honest; a factor of 2 u
is another one. Halfway."""

FEWEST = 16
"""Results from which a mean or a regression says more than they do one by one: it is known four times as well."""

SIGNS = 3.29
"""The normal quantile of `FALSE_ALARM`, on both sides, for the count of errors that have one sign."""

LOST = 2.0**-4
"""Share of what is added to an input that has to be lost, more than `expected` loses. Honest updates of weights in 16 bits, with other
casts or fused, lose up to 0.003 more, a running sum in 16 bits that stops loses 0.7 (section "lost updates"); the geometric mean, rounded
up to a power of two."""

SUSPICIOUS = 2.0**7
"""Relative rms difference of two modules on the same inputs, in u of float32, from which they are judged one by one. A sum of 2^16 terms,
one after another, is off by 77 u (`ops.deviation.chain`); a product in TF32, the finest of the coarser formats, by 2,000. Rounded up to
a power of two."""

SAME_VECTOR = 2.0**-10
"""Vectors that are no further apart, relative to their length, are the same: eigenvectors lose some digits, and by chance no two vectors of
four numbers are so close."""
