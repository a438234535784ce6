# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""The distribution function of the generalized normal distribution: in JAX no digit is right in the left tail, and it is 0 at -4 in float32."""

import jax
import mpmath
import numpy as np
import scipy.stats

print("  x   JAX        SciPy      mpmath")
zeros = 0
for dtype, numbers in ((np.float32, (-2.0, -3.0, -3.5, -4.0)), (np.float64, (-4.0, -5.0, -6.0))):
    jax.config.update("jax_enable_x64", dtype is np.float64)
    for x in map(dtype, numbers):
        found = float(jax.scipy.stats.gennorm.cdf(x, dtype(2.0)))
        exact = mpmath.erfc(-float(x)) / 2  # with the shape 2 it is erfc(-x) / 2
        zeros += found == 0
        print(f"{x:4.1f}  {found:.3e}  {scipy.stats.gennorm.cdf(float(x), 2.0):.3e}  {float(exact):.3e}   {dtype.__name__}")
raise SystemExit(f"{zeros} results are 0" if zeros else 0)
