# /// script
# dependencies = ["torch==2.13.0", "mpmath"]
# ///
"""PyTorch's Bessel function J0 beside mpmath, and Cephes' formulas with and without the leading 1 of their denominators."""

import mpmath
import torch

# Cephes (S. Moshier), j0.c: up to 5, J0(x) = (z - DR1) (z - DR2) R(z), z = x^2;
# beyond, J0(x) = sqrt(2 / (pi x)) (P(z) cos(x - pi/4) - (5/x) Q(z) sin(x - pi/4)), z = 25 / x^2.
PP = "7.96936729297347051624e-4 8.28352392107440799803e-2 1.23953371646414299388 5.44725003058768775090 8.74716500199817011941 5.30324038235394892183 9.99999999999999997821e-1"
PQ = "9.24408810558863637013e-4 8.56288474354474431428e-2 1.25352743901058953537 5.47097740330417105182 8.76190883237069594232 5.30605288235394617618 1.00000000000000000218"
QP = "-1.13663838898469149931e-2 -1.28252718670509318512 -1.95539544257735972385e1 -9.32060152123768231369e1 -1.77681167980488050595e2 -1.47077505154951170175e2 -5.14105326766599330220e1 -6.05014350600728481186"
QQ = "6.43178256118178023184e1 8.56430025976980587198e2 3.88240183605401609683e3 7.24046774195652478189e3 5.93072701187316984827e3 2.06209331660327847417e3 2.42005740240291393179e2"
DR = "5.78318596294678452118 3.04712623436620863991e1"
RP = "-4.79443220978201773821e9 1.95617491946556577543e12 -2.49248344360967716204e14 9.70862251047306323952e15"
RQ = "4.99563147152651017219e2 1.73785401676374683123e5 4.84409658339962045305e7 1.11855537045356834862e10 2.11277520115489217587e12 3.10518229857422583814e14 3.18121955943204943306e16 1.71086294081043136091e18"

mpmath.mp.dps = 30


def polynomial(numbers, z, leading=()):
    return mpmath.polyval([*leading, *map(mpmath.mpf, numbers.split())], z)


def cephes(x, leading):
    x = mpmath.mpf(x)
    if x <= 5:
        first, second = map(mpmath.mpf, DR.split())
        return (x**2 - first) * (x**2 - second) * polynomial(RP, x**2) / polynomial(RQ, x**2, leading)
    z = 25 / x**2
    p = polynomial(PP, z) / polynomial(PQ, z)
    q = polynomial(QP, z) / polynomial(QQ, z, leading)
    angle = x - mpmath.pi / 4
    return mpmath.sqrt(2 / (mpmath.pi * x)) * (p * mpmath.cos(angle) - 5 / x * q * mpmath.sin(angle))


worst = 0.0
print("    x   error of PyTorch   error of Cephes   PyTorch against Cephes without its leading 1")
for x in (1.0, 2.0, 3.0, 4.875, 5.125, 6.0, 8.0, 12.0, 30.0):
    exact, found = mpmath.besselj(0, x), mpmath.mpf(float(torch.special.bessel_j0(torch.tensor(x, dtype=torch.float64))))
    right, wrong = cephes(x, (1,)), cephes(x, ())
    print(f"{x:6}   {float(abs(found - exact)):16.1e}   {float(abs(right - exact)):15.1e}   {float(abs(found - wrong)):20.1e}")
    worst = max(worst, float(abs(found - wrong)))
raise SystemExit("PyTorch computes without the leading 1" if worst < 1e-14 else 0)
