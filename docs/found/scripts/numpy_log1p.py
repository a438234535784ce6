# /// script
# dependencies = ["numpy==2.4.6", "mpmath", "scipy"]
# ///
"""log1p of small complex numbers: the real part has few digits in NumPy, or none; SciPy's log1p has all."""

import mpmath
import numpy as np
import scipy.special

mpmath.mp.dps = 40
print("z                 the real part by NumPy   by SciPy               exact")
worst = 0.0
for z in (1e-2 + 1e-2j, 1e-6 + 1e-6j, 1e-12 + 1e-12j, 1e-16 + 1e-16j):
    exact = float(mpmath.log1p(mpmath.mpc(z)).real)
    found = np.log1p(np.complex128(z)).real
    worst = max(worst, abs(found - exact) / abs(exact))
    print(f"{z:<17.4g} {found:<23.16g}  {scipy.special.log1p(z).real:<21.16g}  {exact:.16g}")
raise SystemExit("digits are lost" if worst > 1e-4 else 0)
