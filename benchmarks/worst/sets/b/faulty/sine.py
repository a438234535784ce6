import torch


def actual(x):
    two_pi = 6.2831855
    k = torch.round(x * (1.0 / two_pi))
    r = x - k * two_pi
    half = 1.5707964
    r = torch.where(r > half, 3.1415927 - r, torch.where(r < -half, -3.1415927 - r, r))
    z = r * r
    p = -2.5052108e-8
    p = 2.7557319e-6 + z * p
    p = -1.9841270e-4 + z * p
    p = 8.3333333e-3 + z * p
    p = -0.16666667 + z * p
    return r + r * z * p


def expected(x):
    return torch.sin(x)


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 20, generator=g),)
