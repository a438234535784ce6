"""Pace: how long something takes at a size, as the smallest and the largest size until now say; time is taken to grow as the size does."""

from __future__ import annotations


class Pace:
    """The times that are known, by the name of the size."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, float]] = {}

    def note(self, name: str, size: int, seconds: float) -> None:
        """So many seconds were taken at that size; the least counts, as what is busy takes longer."""
        known = self._known.setdefault(name, {})
        known[size] = min(seconds, known.get(size, seconds))

    def seconds(self, name: str, size: int) -> float | None:
        """About how many it would take: by the line through two sizes, or in proportion to one; None where nothing is known of the name."""
        known = self._known.get(name)
        if not known:
            return None
        least, most = min(known), max(known)
        if least == most:
            return known[most] * size / max(1, most)
        return known[most] + (size - most) * max(0.0, known[most] - known[least]) / (most - least)
