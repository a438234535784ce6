"""Sums of positive numbers: how the error grows with the length, one by one and in a tree."""

import numpy as np

U = 2.0**-24  # of float32
random = np.random.default_rng(0)


def chain(x):
    return np.cumsum(x, axis=-1, dtype=np.float32)[:, -1]


def tree(x):
    while x.shape[-1] > 1:
        x = x[:, 0::2] + x[:, 1::2]
    return x[:, 0]


print("rms relative error in u, of 400 sums of n terms")
print("     n   chain   0.425 sqrt(n/3)    tree   gamma_(n-1)/u")
for n in (16, 64, 256, 1024, 4096, 16384):
    scales = 2.0 ** random.uniform(0.0, 1.0, (400, 1))  # no binade is preferred
    x = (random.uniform(0.0, 1.0, (400, n)) * scales).astype(np.float32)
    exact = x.sum(-1, dtype=np.float64)
    errors = [np.sqrt(np.mean(((add(x) - exact) / exact) ** 2)) / U for add in (chain, tree)]
    bound = (n - 1) / (1.0 - (n - 1) * U)
    print(f"{n:6}  {errors[0]:6.2f}  {0.425 * np.sqrt(n / 3):16.2f}  {errors[1]:6.2f}  {bound:14,.0f}")
