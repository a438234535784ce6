"""Tolerance: rtol and atol with what they were derived for, as data."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
SCHEMA = 1
"""Raised whenever the meaning of a stored field changes."""


@dataclass(frozen=True, eq=False)
class TensorTolerance:
    """The tolerance of one output.

    Attributes:
        path: which output. rtol, atol: |actual - expected| <= atol + rtol |expected| holds for honest implementations.
        scale: float64 array of the output's shape: how far each element may be off, the sharper elementwise form.
    """

    path: str
    rtol: float
    atol: float
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class Tolerance:
    """A tolerance with what it was derived for.

    Attributes:
        rtol, atol: for all outputs together. tensors: per output, with the elementwise scale.
        failure_probability: chance that two honest implementations differ by more somewhere, on these inputs.
        declared: the precision that both may use. line: what to paste into a test.
    """

    rtol: float
    atol: float
    tensors: tuple[TensorTolerance, ...]
    failure_probability: float
    declared: str

    @property
    def line(self) -> str:
        """A line for a test."""
        return f"torch.testing.assert_close(actual, expected, rtol={self.rtol:g}, atol={self.atol:g})"

    def __str__(self) -> str:
        import halfulp

        return halfulp.report(self)

    def to_json(self) -> str:
        """The numbers as JSON text; of each elementwise scale the smallest and the largest."""
        tensors = [
            {
                "path": each.path,
                "rtol": each.rtol,
                "atol": each.atol,
                "scale_min": float(each.scale.min(initial=math.inf)) if each.scale.size else 0.0,
                "scale_max": float(each.scale.max(initial=0.0)),
            }
            for each in self.tensors
        ]
        content = {
            "schema": SCHEMA,
            "line": self.line,
            "rtol": self.rtol,
            "atol": self.atol,
            "failure_probability": self.failure_probability,
            "declared": self.declared,
            "tensors": tensors,
        }
        return json.dumps(content, indent=1)
