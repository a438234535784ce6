"""What people use today, asked about the same outputs: True for accepted. All with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from halfulp.cases import LIFTED, Case, Run

PEERS = ("assert_close", "numpy.allclose", "dynamo same", "msprobe ratios")

MSPROBE_LIMITS = {"max relative error": 10.0, "mean relative error": 2.0, "root mean square error": 2.0}
"""msprobe's accuracy check, benchmark standard, loosest level (L0): how many times the error of a second implementation may be, both
against a result of higher precision. Read from its published constants (precision_standard/standard_config.py); msprobe itself
does not run without its own hardware."""


def _passes(comparison: Callable[[], object]) -> bool:
    """Whether a checker accepts: it returns a true value or None, and raises nothing."""
    try:
        return comparison() is not False
    except Exception:
        return False


def msprobe_ratios(actual: list[torch.Tensor], expected: list[torch.Tensor], exact: list[torch.Tensor] | None) -> bool:
    """Msprobe's rule: max and mean relative error and RMSE of `actual` against those of `expected`."""
    if exact is None:
        return False
    for mine, theirs, golden in zip(actual, expected, exact, strict=True):
        if not golden.is_floating_point():
            if not torch.equal(mine, theirs):
                return False
            continue
        sizes = []
        for side in (mine, theirs):
            error = (side.double() - golden.double()).abs()
            relative = error / golden.double().abs().clamp_min(torch.finfo(torch.float32).tiny)
            sizes.append(
                (float(relative.max()), float(relative.mean()), float(error.square().mean().sqrt())) if error.numel() else (0.0,) * 3
            )
        floor = torch.finfo(torch.float32).eps
        for ours, others, limit in zip(*sizes, MSPROBE_LIMITS.values(), strict=True):
            if not ours <= limit * max(others, floor * 1e-3):
                return False
    return True


FLASH_FACTOR = 2.0
"""flash-attention's tests accept an error up to twice that of PyTorch in the same precision, both against a run in more precision."""


def flash_rule(actual: list[torch.Tensor], expected: list[torch.Tensor], exact: list[torch.Tensor] | None) -> bool:
    """flash-attention's rule: the largest error of `actual` is at most twice that of `expected`."""
    if exact is None:
        return False
    errors = [[float((side.double() - golden.double()).abs().max()) for side, golden in zip(sides, exact)] for sides in (actual, expected)]
    return all(mine <= FLASH_FACTOR * theirs for mine, theirs in zip(*errors, strict=True))


def opinions(actual: list[torch.Tensor], expected: list[torch.Tensor], exact: list[torch.Tensor] | None, only: str = "") -> dict[str, bool]:
    """What each peer says.

    Args:
        actual, expected: the outputs. exact: those of a reference in float64, None where there is none. only: the peer to ask, all for "".
    """
    from torch._dynamo.utils import same

    asked: dict[str, Callable[[], object]] = {
        "assert_close": lambda: torch.testing.assert_close(actual, expected),
        "numpy.allclose": lambda: all(np.allclose(a.float().numpy(), b.float().numpy()) for a, b in zip(actual, expected, strict=True)),
        "dynamo same": lambda: bool(same(expected, actual, fp64_ref=exact, log_error=lambda *_, **__: None)),
        "msprobe ratios": lambda: msprobe_ratios(actual, expected, exact),
    }
    return {name: _passes(comparison) for name, comparison in asked.items() if only in ("", name)}


def opinions_on(case: Case) -> dict[str, bool]:
    """What each peer says to everything that is compared in a case (outputs, gradients, state), with `expected` in float64 as reference."""
    sides = [[_tensor(leaf) for leaf in case.native(name).outputs] for name in ("actual", "expected")]
    lifted = case.run("reference" if case.reference is not None else "expected", LIFTED)
    exact = [_tensor(leaf) for leaf in lifted.outputs] if isinstance(lifted, Run) else None
    return opinions(sides[0], sides[1], exact)


def _tensor(leaf: Any) -> torch.Tensor:
    tensor = torch.from_numpy(np.ascontiguousarray(leaf.numbers()))
    return tensor.to(getattr(torch, leaf.dtype)) if leaf.holds_bits else tensor
