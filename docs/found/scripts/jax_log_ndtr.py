# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""The logarithm of the normal distribution function, in float32: two digits in JAX just below 5, six or seven in SciPy."""

import jax
import mpmath
import numpy as np
import scipy.stats

mpmath.mp.dps = 40
print("  x    exact       relative errors: JAX      SciPy    JAX's logsf(-x)")
worst = 0.0
for x in np.array([2.0, 3.0, 4.0, 4.5, 4.8, 4.99, 5.2], np.float32):
    exact = mpmath.log(mpmath.ncdf(float(x)))
    found = (jax.scipy.stats.norm.logcdf(x), scipy.stats.norm.logcdf(x), jax.scipy.stats.norm.logsf(-x))
    errors = [float(abs(float(value) - exact) / abs(exact)) for value in found]
    worst = max(worst, errors[0])
    print(f"{x:5.2f}  {float(exact):.3e}                   {errors[0]:.0e}  {errors[1]:.0e}  {errors[2]:.0e}")
raise SystemExit("two digits" if worst > 1e-3 else 0)
