"""Tolerance: rtol and atol with what they were derived for, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..documents import document, text_of
from ..process.versions import versions
from ..shown import shown

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Need:
    """How large a tolerance the elements of about one size need.

    Attributes:
        size: |expected| of the element that needs the most among those whose size is within a factor of 10**(1/8). reach: how far apart
            two correct implementations may be there.
    """

    size: float
    reach: float


@dataclass(frozen=True, eq=False)
class TensorTolerance:
    """The tolerance of one output.

    Attributes:
        path: which output. rtol, atol: |actual - expected| <= atol + rtol |expected| holds for honest implementations.
        scale: float64 array of the output's shape: how far each element may be off, the sharper elementwise form; the largest over all
            draws, or of the first where their shapes differ.
        needs: over all draws, what elements of each size need, smallest first.
    """

    path: str
    rtol: float
    atol: float
    scale: FloatArray
    needs: tuple[Need, ...] = ()


@shown
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

    def stored(self) -> StoredTolerance:
        """What is kept of it: of each elementwise scale the smallest and the largest."""
        tensors = tuple(
            StoredTensorTolerance(
                tensor.path,
                tensor.rtol,
                tensor.atol,
                float(tensor.scale.min()) if tensor.scale.size else 0.0,
                scale_max=float(tensor.scale.max(initial=0.0)),
                needs=tensor.needs,
            )
            for tensor in self.tensors
        )
        return StoredTolerance(
            self.line, self.rtol, self.atol, tensors, failure_probability=self.failure_probability, declared=self.declared
        )

    def to_json(self) -> str:
        """The numbers as JSON text with a schema number."""
        return self.stored().to_json()


@dataclass(frozen=True)
class StoredTensorTolerance:
    """The tolerance of one output as it is stored.

    Attributes:
        path: which output. rtol, atol, needs: see `TensorTolerance`. scale_min, scale_max: of how far its elements may be off.
    """

    path: str
    rtol: float
    atol: float
    scale_min: float
    scale_max: float
    needs: tuple[Need, ...] = ()


@shown
@dataclass(frozen=True)
class StoredTolerance:
    """A tolerance as it is stored.

    Attributes:
        line: what to paste into a test. rtol, atol: for all outputs together. tensors: per output.
        failure_probability: chance that two honest implementations differ by more somewhere. declared: the precision that both may use.
        versions: of Python and the packages that were used, the system and the processor.
    """

    line: str
    rtol: float
    atol: float
    tensors: tuple[StoredTensorTolerance, ...]
    failure_probability: float
    declared: str
    versions: dict[str, str] = field(default_factory=versions)

    def to_json(self) -> str:
        """The numbers as JSON text with a schema number."""
        return text_of(document("tolerance", self))
