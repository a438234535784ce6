# /// script
# dependencies = ["jax==0.10.2", "mpmath", "scipy"]
# ///
"""log B(a, b) in float64: seven digits in JAX where the larger argument is a little above 8. So have beta.logpdf, and the gradients six."""

import jax
import mpmath
import scipy.special
import scipy.stats

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 30


def exact(a, b):
    return mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)


def error(value, wanted):
    return float(abs(float(value) - wanted) / abs(wanted))


print("relative errors            JAX      SciPy")
worst = 0.0
for a, b in ((0.5, 7.9), (0.5, 8.1), (0.5, 10.0), (0.5, 20.0), (0.5, 100.0)):
    errors = [error(module.betaln(a, b), exact(a, b)) for module in (jax.scipy.special, scipy.special)]
    worst = max(worst, errors[0])
    print(f"betaln(0.5, {b:5})       {errors[0]:.1e}  {errors[1]:.1e}")
density = -mpmath.mpf("0.5") * mpmath.log(0.3) + 9 * mpmath.log1p(-mpmath.mpf(0.3)) - exact(0.5, 10)
errors = [error(module.beta.logpdf(0.3, 0.5, 10.0), density) for module in (jax.scipy.stats, scipy.stats)]
print(f"beta.logpdf(0.3, 0.5, 10)  {errors[0]:.1e}  {errors[1]:.1e}")
slope = jax.grad(jax.scipy.special.betaln)(0.5, 10.0)
print(f"gradient by a, at 10       {error(slope, mpmath.digamma(0.5) - mpmath.digamma(10.5)):.1e}")
raise SystemExit("seven digits" if worst > 1e-8 else 0)
