# /// script
# dependencies = ["torch==2.13.0", "mpmath", "scipy"]
# ///
"""log_prob of the von Mises distribution in float64: seven digits, because its Bessel function is a formula for float32."""

import mpmath
import scipy.stats
import torch

mpmath.mp.dps = 30
print("concentration   absolute error of PyTorch   of SciPy")
worst = 0.0
for concentration in (0.1, 1.0, 3.7, 10.0, 100.0, 1000.0):
    exact = concentration - mpmath.log(2 * mpmath.pi * mpmath.besseli(0, concentration))
    values = torch.tensor([0.0, concentration], dtype=torch.float64)
    found = torch.distributions.VonMises(values[0], values[1]).log_prob(values[0]).item()
    errors = [float(abs(value - exact)) for value in (found, float(scipy.stats.vonmises.logpdf(0.0, concentration)))]
    worst = max(worst, errors[0])
    print(f"{concentration:13}   {errors[0]:25.1e}   {errors[1]:8.0e}")
raise SystemExit("seven digits" if worst > 1e-9 else 0)
