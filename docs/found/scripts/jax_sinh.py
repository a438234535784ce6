# /// script
# dependencies = ["jax==0.10.2", "mpmath", "numpy"]
# ///
"""sinh of small complex numbers in complex64: the real part is 0 or has few digits in JAX; sinh of their real parts alone is right."""

import jax.numpy as jnp
import mpmath
import numpy as np

print("z                    JAX                             NumPy                           mpmath")
worst = 0.0
for z in np.array([1e-2 + 1e-2j, 1e-3 + 1e-3j, 1e-5 + 1e-5j, 1e-8 + 1e-8j], np.complex64):
    exact = mpmath.sinh(mpmath.mpc(complex(z)))
    found, beside = complex(jnp.sinh(z)), complex(np.sinh(z))
    worst = max(worst, abs(found - complex(exact)) / abs(complex(exact)))
    print(f"{z:<20.6g} {found:<31.8g} {beside:<31.8g} {complex(exact):.8g}")
print(f"sinh(1e-8), a real number: {float(jnp.sinh(np.float32(1e-8))):.8g}")
raise SystemExit("digits are lost" if worst > 1e-4 else 0)
