# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""log1p and atanh in float64: up to a hundred ulps in JAX between 1 - sqrt(2) and 1 / sqrt(2) - 1."""

import itertools

import jax
import mpmath
import numpy as np
import scipy.special

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 40


def ulps(value, exact):
    return float(abs(mpmath.mpf(float(value)) - exact)) / np.spacing(abs(float(exact)))


print("largest errors in ulps of 500 numbers   JAX's log1p   SciPy's log1p   JAX's atanh   NumPy's atanh")
worst = 0.0
edges = (-0.5, 1 - np.sqrt(2), -0.38, -0.34, np.sqrt(0.5) - 1, 0.0, np.sqrt(2) - 1, 0.5)
for low, high in itertools.pairwise(edges):
    x = np.random.default_rng(0).uniform(low, high, 500)
    found = []
    for exact, sides in ((mpmath.log1p, (jax.numpy.log1p, scipy.special.log1p)), (mpmath.atanh, (jax.numpy.arctanh, np.arctanh))):
        wanted = [exact(mpmath.mpf(float(number))) for number in x]
        found += [max(map(ulps, side(x), wanted)) for side in sides]
    worst = max(worst, found[0])
    print(f"from {low:9.6f} to {high:9.6f}           " + "   ".join(f"{error:{width}.1f}" for error, width in zip(found, (11, 13, 11, 13))))
raise SystemExit("a hundred ulps" if worst > 20 else 0)
