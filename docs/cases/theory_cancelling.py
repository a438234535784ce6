"""Dot products that cancel more and more, and their errors in three units."""

import numpy as np

U = 2.0**-24  # of float32
random = np.random.default_rng(0)
a, b = random.standard_normal((2, 64, 200_000), dtype=np.float32)
computed = np.zeros(a.shape[1], np.float32)
for left, right in zip(a, b):
    computed += left * right
products = a.astype(np.float64) * b  # exact: 24 + 24 bits fit into 53
exact, scale = products.sum(0), np.abs(products).sum(0)
error, condition = np.abs(computed - exact), scale / np.abs(exact)

print("sum |a||b| / |sum a b|    results   largest rel   largest ulps   largest error / (u sum |a||b|)")
for low, high in ((1, 1e1), (1e1, 1e2), (1e2, 1e3), (1e3, 1e4), (1e4, np.inf)):
    here = (low <= condition) & (condition < high)
    relative = error[here] / np.abs(exact[here])
    ulps = error[here] / np.spacing(np.abs(exact[here]).astype(np.float32))
    in_u = error[here] / (U * scale[here])
    print(f"{low:8.0f} to {high:<8.0f}  {here.sum():11,}  {relative.max():12.1e}  {ulps.max():13,.0f}  {in_u.max():14.2f}")
