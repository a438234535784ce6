# /// script
# dependencies = ["jax==0.10.2", "mpmath"]
# ///
"""Why: of TOMS 708's algorithm for log(gamma(b) / gamma(a + b)), b >= 8, JAX has x = h / (1 + h), where the algorithm has x = 1 / (1 + h).

Both were computed here with 30 digits; what the algorithm itself is off by is in the last column.
"""

import jax
import mpmath

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 30
COEFFICIENTS = ("0.833333333333333e-1", "-0.277777777760991e-2", "0.793650666825390e-3",
                "-0.595202931351870e-3", "0.837308034031215e-3", "-0.165322962780713e-2")  # fmt: skip


def algdiv(a, b, x):
    """Didonato and Morris, ACM TOMS 18 (1992), 360-373: ALGDIV for a <= b. The sums are (1 - x^n) / (1 - x)."""
    h, t = a / b, (1 / b) ** 2
    sums = [sum(x**power for power in range(n)) for n in (1, 3, 5, 7, 9, 11)]
    w = sum(mpmath.mpf(c) * s * t**n for n, (c, s) in enumerate(zip(COEFFICIENTS, sums))) * (h / (1 + h)) / b
    return w - (b + a - mpmath.mpf("0.5")) * mpmath.log1p(h) - a * (mpmath.log(b) - 1)


print("a    b     JAX from exact   JAX from x = h / (1 + h)   x = 1 / (1 + h) from exact")
fault = False
for a, b in ((0.5, 8.1), (0.5, 20.0), (3.0, 10.0)):
    a, b = map(mpmath.mpf, (a, b))
    found = mpmath.mpf(float(jax.scipy.special.betaln(float(a), float(b))))
    exact = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    as_jax, as_published = (mpmath.loggamma(a) + algdiv(a, b, x) for x in (a / b / (1 + a / b), 1 / (1 + a / b)))
    fault |= abs(found - as_jax) < 1e-14 < abs(found - exact)
    print(
        f"{float(a)}  {float(b):4}  {float(abs(found - exact)):14.1e}   {float(abs(found - as_jax)):24.1e}   {float(abs(as_published - exact)):26.1e}"
    )
raise SystemExit("JAX computes with the wrong x" if fault else 0)
