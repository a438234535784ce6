# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""erfcx(x) = exp(x^2) erfc(x), about 1 / (1.77 x): in JAX it is 0 between 9.2 and 9.4, as float32 has it, and near 26.6 in float64."""

import jax
import mpmath
import numpy as np
import scipy.special

print("   x   JAX       SciPy     mpmath")
zeros = 0
for dtype, numbers in ((np.float32, (9.1, 9.2, 9.3, 9.4, 9.5)), (np.float64, (26.5, 26.6, 26.7))):
    jax.config.update("jax_enable_x64", dtype is np.float64)
    for x in map(dtype, numbers):
        found = float(jax.scipy.special.erfcx(x))
        exact = mpmath.exp(mpmath.mpf(float(x)) ** 2) * mpmath.erfc(float(x))
        zeros += found == 0
        print(f"{x:.1f}   {found:.6f}  {scipy.special.erfcx(x):.6f}  {float(exact):.6f}   {dtype.__name__}")
raise SystemExit(f"{zeros} results are 0" if zeros else 0)
