"""Variant: one way to run a side: in which precision, on which change of the inputs, for which time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Precision(str, Enum):
    """What a side computes in."""

    NATIVE = "native"
    """As the user wrote it."""
    FLOAT64 = "float64"
    """Lifted."""
    UNCAST = "float64 uncast"
    """Lifted, and casts to less than the declared precision taken out."""
    FLOAT32 = "float32"
    """A float64 case lowered."""
    BFLOAT16 = "bfloat16"
    """A float32 case lowered."""

    def __str__(self) -> str:
        return self.value


class Change(str, Enum):
    """What becomes of the inputs."""

    GIVEN = "given"
    INTEGERS = "integers"
    """Small ones."""
    IMPULSES = "impulses"
    """Few of the numbers, the rest zero."""
    MOVED = "moved"
    """Slightly; the shared weights where no input can move."""
    MOVED_WIDELY = "moved widely"
    """Farther, and the shared weights too."""
    FILLED = "filled"
    """With random bits where lifted numbers have zeros."""
    DATA_MOVED = "data moved"
    """As far, but for what holds nothing but 0 and 1: labels and masks stay what they are."""
    SCALED = "scaled"
    """By a power of two."""
    DATA_SCALED = "data scaled"
    """By a power of two, but for labels and masks."""
    PERMUTED = "permuted"
    """Along all axes of one length."""

    def __str__(self) -> str:
        return self.value

    @property
    def moves(self) -> bool:
        """Whether the inputs are drawn anew around the given ones."""
        return self in (Change.MOVED, Change.MOVED_WIDELY, Change.DATA_MOVED)

    @property
    def is_wide(self) -> bool:
        """Whether the shared weights are moved too, and all as far as `MOVED_WIDELY` says."""
        return self in (Change.MOVED_WIDELY, Change.DATA_MOVED)

    @property
    def spares_flags(self) -> bool:
        """Whether labels and masks stay."""
        return self in (Change.DATA_MOVED, Change.DATA_SCALED)


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run.

    Attributes:
        change: of the given ones. number: for the how many-th time they are moved; the length of the axes that are permuted.
    """

    change: Change = Change.GIVEN
    number: int = 0

    def __str__(self) -> str:
        return f"{self.change} {self.number}" if self.change.moves or self.change is Change.PERMUTED else self.change.value


GIVEN = Inputs()


@dataclass(frozen=True)
class Variant:
    """One way to run a side.

    Attributes:
        precision: what it computes in. inputs: what it is run on.
        repetition: 0 for the first run; positive ones start from another random seed, negative ones from the same again.
        poisoned: whether memory that nobody has written holds NaN.
        watched: whether ops are only looked at, as they are where it does: some functions take another path then.
    """

    precision: Precision = Precision.NATIVE
    inputs: Inputs = GIVEN
    repetition: int = 0
    poisoned: bool = False
    watched: bool = False


NATIVE = Variant()
LIFTED = Variant(Precision.FLOAT64)
SCALED_BY = 8.0
"""The factor of "scaled" inputs: a power of two, so that it is exact, and far from overflow."""
MOVED_WIDELY = 2.0**-6
"""How far "moved widely" goes: two to four spacings of bfloat16, the coarsest 16-bit format, so that its rounding is drawn anew; a smooth
function of the inputs changes by a few hundredths."""
