"""The order of eight additions, read from results: a huge number swallows what is added to it, until it is taken away again."""

import numpy as np

M = np.float32(2.0**100)


def chain(x):
    total = x[0]
    for term in x[1:]:
        total = total + term
    return total


def tree(x):
    return x[0] if len(x) == 1 else tree(x[: len(x) // 2]) + tree(x[len(x) // 2 :])


for add in (chain, tree):
    print(f"{add.__name__}: leaves of the smallest subtree that holds leaf 0 and leaf j")
    for j in range(1, 8):
        x = np.ones(8, np.float32)
        x[0], x[j] = M, -M
        print(f"  j = {j}: {8 - int(add(x))}", end="")
    print()
