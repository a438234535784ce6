"""Pace: estimates how long something takes at a size from the smallest and the largest size so far, as a linear function."""

from __future__ import annotations


class Pace:
    """The known times, by the name of the size."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, float]] = {}

    def note(self, name: str, size: int, seconds: float) -> None:
        """Note a time at a size; the shortest counts, because a busy machine takes longer."""
        known = self._known.setdefault(name, {})
        known[size] = min(seconds, known.get(size, seconds))

    def seconds(self, name: str, size: int) -> float | None:
        """The estimate: from the line through two sizes, or in proportion to one; None if no time is known."""
        known = self._known.get(name)
        if not known:
            return None
        least, most = min(known), max(known)
        if least == most:
            return known[most] * size / max(1, most)
        return known[most] + (size - most) * max(0.0, known[most] - known[least]) / (most - least)
