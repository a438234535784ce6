"""Closeup: what one output looks like, element by element and along its axes, for pictures. No verdict rests on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """The mean error along one axis, beside what rounding causes there.

    Attributes:
        axis: of the output. step: how many indices one entry stands for (long axes are thinned to the entry that stands out most).
        indices: which. means: the mean of error / noise over everything else. band: how large rounding makes that mean.
    """

    axis: int
    step: int
    indices: tuple[int, ...]
    means: tuple[float, ...]
    band: tuple[float, ...]


@dataclass(frozen=True)
class Heat:
    """Where the error is, over the last two axes of an output: rms of error / noise over tiles and all other axes.

    Attributes:
        rows, columns: tiles in each direction. row_step, column_step: indices that a tile covers. values: row by row.
    """

    rows: int
    columns: int
    row_step: int
    column_step: int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Closeup:
    """One output close up.

    Attributes:
        path, shape, dtype: which output. count: its elements.
        places: flat indices of the elements that are listed: the worst ones first, then some of all magnitudes.
        worst: how many are the worst.
        actual, expected: their values. reference: the better-than-working-precision result there. noise: how far rounding moves it (both
            empty where noise was not sampled).
        limit: how many times the noise the worst honest element reaches; None without noise.
        profiles, heat: see `Profile` and `Heat`.
    """

    path: str
    shape: tuple[int, ...]
    dtype: str
    count: int
    places: tuple[int, ...]
    worst: int
    actual: tuple[float, ...]
    expected: tuple[float, ...]
    reference: tuple[float, ...] = ()
    noise: tuple[float, ...] = ()
    limit: float | None = None
    profiles: tuple[Profile, ...] = ()
    heat: Heat | None = None
