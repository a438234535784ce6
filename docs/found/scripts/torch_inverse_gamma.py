# /// script
# dependencies = ["torch==2.13.0", "mpmath", "scipy"]
# ///
"""The distribution function of the inverse gamma distribution: digits are lost in the left tail until it is 0, in float32 below 0.07."""

import mpmath
import scipy.stats
import torch

print("  x    PyTorch    SciPy      mpmath")
zeros = 0
for dtype, numbers in ((torch.float32, (0.5, 0.1, 0.07, 0.05)), (torch.float64, (0.05, 0.03, 0.02))):
    for x in numbers:
        found = torch.distributions.InverseGamma(torch.tensor(2.0, dtype=dtype), 1.0).cdf(torch.tensor(x, dtype=dtype)).item()
        exact = (1 + 1 / mpmath.mpf(x)) * mpmath.exp(-1 / mpmath.mpf(x))
        zeros += found == 0
        print(f"{x:4}   {found:.3e}  {scipy.stats.invgamma.cdf(x, 2.0):.3e}  {float(exact):.3e}   {str(dtype).removeprefix('torch.')}")
raise SystemExit(f"{zeros} results are 0" if zeros else 0)
