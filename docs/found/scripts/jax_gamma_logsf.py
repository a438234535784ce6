# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""Logarithms of survival functions in float32: JAX takes the logarithm of what has become 0."""

import jax
import mpmath
import numpy as np

print("                     JAX        exact")
infinite = 0
for x in np.array([50.0, 100.0, 200.0], np.float32):
    found = float(jax.scipy.stats.gamma.logsf(x, np.float32(2.0)))
    infinite += np.isinf(found)
    print(f"gamma.logsf({x:5}, 2)  {found:9.3f}  {float(mpmath.log(1 + mpmath.mpf(float(x))) - float(x)):9.3f}")
raise SystemExit(f"{infinite} results are infinite" if infinite else 0)
