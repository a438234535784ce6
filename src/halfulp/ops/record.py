"""What is known of one op: a row of the table of ops."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, replace
from typing import Any


class Kind(enum.Enum):
    """How an op rounds."""

    EXACT = "exact"
    """Moves, chooses or compares numbers."""
    CAST = "cast"
    """Stores numbers in another format: one rounding where that is coarser."""
    ROUNDED = "rounded"
    """Elementwise, correct to about one rounding: IEEE 754 requires it, or every library makes it so."""
    LIBRARY = "library"
    """An elementwise function that libraries compute to within so many ulps."""
    FACTORS = "factors"
    """A product of many factors."""
    SUM = "sum"
    """A sum or mean along axes."""
    SCAN = "scan"
    """A running sum."""
    SCATTER = "scatter"
    """A sum over equal indices."""
    PRODUCT = "product"
    """Sums of products: bilinear, perhaps with an addend."""
    TRANSFORM = "transform"
    """A fast Fourier transform."""
    FACTORIZATION = "factorization"
    """A backward stable factorization or solver: its error is that of inputs moved by u times their norm."""
    RANGE = "range"
    """Equally spaced numbers."""
    RANDOM = "random"
    """Draws random numbers."""
    COMPOSITE = "composite"
    """Made of the others; a formula says how."""
    MEASURED = "measured"
    """Known by neither rule nor formula: its spread is measured by moving its inputs by one rounding."""


class Inside(enum.Enum):
    """What has to be checked of an op's arguments before a kernel trusts them (`origins.replayable`)."""

    POOLED_2D = "pooled2"
    POOLED_3D = "pooled3"
    PER_ROW = "per_row"
    PER_CHANNEL = "per_channel"
    CLASSES = "classes"
    ROWS_OF_WEIGHT = "rows_of_weight"
    ATTENDED = "attended"
    ALIKE = "alike"
    PIVOTED = "pivoted"
    DISTANCES = "distances"
    OWN_DISTANCES = "own_distances"
    ON_GRID = "on_grid"
    RESIZED = "resized"


@dataclass(frozen=True)
class OpRecord:
    """One op, by its name without namespace, overload and in-place underscore.

    Attributes:
        name: "addmm".
        kind: how it rounds.
        ulps: of a library function: the largest error that is allowed, in units in the last place.
        family: of an elementary function: who has one of a family has all of it exactly, with few operations. None of those that are made
            of others (powers) or of what IEEE 754 rounds correctly (roots).
        scales: of a whole number it gives a power of two, without rounding.
        addend: which argument of a product is added and not multiplied.
        direct: it rounds once, or it sums products to which something is added: the variances of its roundings add up.
        rows: a slice of its result along either axis follows from slices of its operands.
        cut: it is elementwise, so a slice along the first axis follows from slices of its operands.
        each: an element of its result follows from one element of each operand, as a choice or comparison of numbers.
        promotes: its operands are brought to one format first.
        adds: on magnitudes it gives at most the sum of two, as a sum and a difference do.
        magnitudes: on magnitudes it gives the sum of the terms' magnitudes.
        convolution: fast algorithms for it lose digits by design.
        fills: it writes NaN or infinity on purpose.
        moves: a copy or view of one operand.
        transparent: a view whose slices are slices.
        whole: it gives whole numbers, of the format that it was given.
        makes: it makes numbers in the default format; by_number: only where one of its arguments is a float.
        python: it makes a tensor of Python's numbers.
        unwritten: it gives memory as it is.
        own: our formula is the better model; PyTorch's counts places in floating point, or adds in stages.
        torch: PyTorch may replay it, though there is no formula.
        unfit: PyTorch may replay it where the formula does not fit the call.
        closed: PyTorch is never asked to replay it.
        finite: LAPACK may not return from NaN or infinity, so it gets none.
        inside: what is checked of its arguments before it is replayed.
        size: how the elements are counted that it needs, where PyTorch can't tell without memory.
    """

    name: str
    kind: Kind
    ulps: float | None = None
    family: str | None = None
    scales: bool = False
    addend: int | None = None
    direct: bool = False
    rows: bool = False
    cut: bool = False
    each: bool = False
    promotes: bool = False
    adds: bool = False
    magnitudes: bool = False
    convolution: bool = False
    fills: bool = False
    moves: bool = False
    transparent: bool = False
    whole: bool = False
    makes: bool = False
    by_number: bool = False
    own: bool = False
    python: bool = False
    unwritten: bool = False
    torch: bool = False
    unfit: bool = False
    closed: bool = False
    finite: bool = False
    inside: Inside | None = None
    size: str | None = None

    @property
    def is_elementwise(self) -> bool:
        """Whether each element of the result is rounded by itself."""
        return self.kind in (Kind.ROUNDED, Kind.LIBRARY)

    @functools.cached_property
    def is_exact(self) -> bool:
        """Whether it only moves, chooses, compares or draws numbers (a cast, in a run where all formats are one, moves them)."""
        return self.kind in (Kind.EXACT, Kind.CAST, Kind.RANDOM)

    def named(self, name: str) -> OpRecord:
        """The same facts for another name."""
        return replace(self, name=name)


def parsed(name: str, facts: str) -> OpRecord:
    """A record from a row of the table: the kind, then facts by name, with "=value" where they have one.

    Raises:
        ValueError: a fact that `OpRecord` does not have.
    """
    kind, *others = facts.split()
    found: dict[str, Any] = {}
    for fact in others:
        key, _, value = fact.partition("=")
        found[key] = {"ulps": float, "addend": int, "inside": Inside, "size": str, "family": str}[key](value) if value else True
    if not found.keys() <= OpRecord.__dataclass_fields__.keys():
        raise ValueError(f"unknown facts of an op: {', '.join(found.keys() - OpRecord.__dataclass_fields__.keys())}")
    return OpRecord(name, Kind(kind), **found)
