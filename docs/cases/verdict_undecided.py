import numpy as np

ROWS = 2


def actual(x):
    """The sum of a series in NumPy, from the first term to the last."""
    return np.add.accumulate(x, -1)[:, -1]


def expected(x):
    """From the last term to the first."""
    return np.add.accumulate(x[:, ::-1], -1)[:, -1]


def inputs(seed):
    terms = 1.0 / np.arange(1, 4001, dtype=np.float32) ** 2
    return (np.arange(1, ROWS + 1, dtype=np.float32)[:, None] * terms,)
