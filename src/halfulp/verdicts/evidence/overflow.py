"""Where only one side is NaN or infinite: does the formula say so, or did a right formula overflow or underflow on the way?

In float64, which holds numbers up to 1e308, a formula that is right gives numbers there, and the same as the other side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...cases import LIFTED, Case, Run, Unavailable, observed
from ...noise import Noise
from ...ops import called
from ...process.dispatch import DispatchMode
from ...recording.names import source_line
from .evidence import Evidence
from .finding import Finding
from .remainders import beyond_stored, is_rounding_of_float64

F = Finding


def overflow(case: Case, noise: Noise) -> Evidence:
    """Which side left the range of its format on the way, where, and whether both are one function in float64.

    Args:
        noise: of the case.
    """
    actual, expected = (case.run(name, LIFTED) for name in ("actual", "expected"))
    for run in (actual, expected):
        if isinstance(run, Unavailable):
            return Evidence("overflow", F.UNAVAILABLE, measured={"why": run.reason})
    assert isinstance(actual, Run) and isinstance(expected, Run)
    counts = {"actual": 0, "expected": 0}
    path = ""
    for leaf in expected.outputs:
        spread, other = noise.leaves.get(leaf.path), actual.by_path.get(leaf.path)
        if leaf.format is None or spread is None:
            continue
        if other is None or other.shape != leaf.shape:
            return Evidence("overflow", F.DIFFER, path=leaf.path)
        exact = leaf.float64()
        given = {name: case.native(name).by_path[leaf.path].float64() for name in counts}
        odd = ~_alike(given["actual"], given["expected"])
        in_range = np.isfinite(exact) & (np.abs(exact) <= case.storage.max_finite)
        lifted = other.float64()
        lost = {name: odd & ~np.isfinite(values) & in_range for name, values in given.items()}
        # Far out, the formula leaves the range of float64 as well: what it does nearer by has to be shown there alone.
        farther = odd & ~np.isfinite(given["actual"]) & ~np.isfinite(lifted) & in_range
        resolved = lost["actual"] & np.isfinite(lifted)
        if (odd & ~lost["actual"] & ~lost["expected"]).any() or (farther.any() and not resolved.any()):
            return Evidence("overflow", F.DIFFER, path=leaf.path)
        if not (_alike(lifted, exact) | farther).all():
            return Evidence("overflow", F.DIFFER, path=leaf.path)
        values = [lifted, exact, given["actual"]]
        if beyond_stored(case, [lifted, exact, exact], spread) > 1.0 and not is_rounding_of_float64(case, values, leaf.path):
            return Evidence("overflow", F.DIFFER, path=leaf.path)
        path = path if path or not odd.any() else leaf.path
        for name, mask in lost.items():
            counts[name] += int(np.count_nonzero(mask))
    side = "actual" if counts["actual"] else "expected"
    measured: dict[str, Any] = {"side": side, "elements": counts[side], "largest": case.storage.max_finite, "format": case.storage.name}
    return Evidence("overflow", F.LEAVES_THE_RANGE if counts["actual"] else F.EXPECTED, measured=measured | _start(case, side), path=path)


def _alike(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where both are numbers, both NaN, or the same infinity."""
    finite = np.isfinite(one) & np.isfinite(other)
    return finite | (np.isnan(one) & np.isnan(other)) | (np.isinf(one) & (one == other))


class _Watch(DispatchMode):
    """Finds the first op that makes NaN or infinity of numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Any] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [] if self.found else [_extremes(value) for value in (*args, *kwargs.values())]
        result = func(*args, **kwargs)
        if not self.found and not any(extremes == () for extremes in given):
            values = result if isinstance(result, (tuple, list)) else (result,)
            if any(_extremes(value) == () for value in values):
                sizes = [extremes for extremes in given if extremes]
                self.found = {
                    "op": called(func)[0],
                    "line": source_line(),
                    "largest_operand": max((largest for _, largest in sizes), default=None),
                    "smallest_operand": min((smallest for smallest, _ in sizes), default=None),
                }
        return result


def _extremes(value: Any) -> tuple[float, float] | tuple[()] | None:
    """The smallest and largest magnitude of a tensor or number; nothing where one is NaN or infinite, None where it has none."""
    if isinstance(value, (list, tuple)):
        found = [_extremes(part) for part in value]
        if any(part == () for part in found):
            return ()
        pairs = [part for part in found if part]
        return (min(low for low, _ in pairs), max(high for _, high in pairs)) if pairs else None
    if isinstance(value, float):
        return (abs(value), abs(value)) if np.isfinite(value) else ()
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return None
    sizes = value.detach().abs().double()
    return (float(sizes.min()), float(sizes.max())) if bool(torch.isfinite(sizes).all()) else ()


def _start(case: Case, name: str) -> dict[str, Any]:
    """The op at which a side leaves the range, as far as PyTorch's ops can be seen."""
    watch = _Watch()
    return watch.found if observed(case, name, watch) else {}
