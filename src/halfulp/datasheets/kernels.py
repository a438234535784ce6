"""The loop that compares results with exact values, compiled."""

from __future__ import annotations

# pyright: basic, reportUntypedFunctionDecorator=false
import numpy as np

from ..compiled import kernel


@kernel(nogil=True, error_model="numpy")
def errors_of(computed, exact, inverse_ulps, overflow, low, high):
    """(largest error, its place, compared, wrong, special mismatches) of the results from `low` to `high`."""
    largest = -1.0
    where = min(low, len(exact) - 1)
    compared = 0
    wrong = 0
    special = 0
    bits = exact.view(np.uint64)
    for i in range(low, high):
        r = exact[i]
        y = np.float64(computed[i])
        if not abs(r) < overflow or not abs(y) < np.inf:
            same = (np.isnan(r) and np.isnan(y)) or (abs(r) >= overflow and y == (np.inf if r > 0 else -np.inf))
            special += 0 if same else 1
            continue
        error = abs(y - r) * inverse_ulps[(bits[i] >> np.uint64(52)) & np.uint64(2047)]
        compared += 1
        if error > 0.5:
            wrong += 1
        if error > largest:
            largest = error
            where = i
    return max(largest, 0.0), where, compared, wrong, special
