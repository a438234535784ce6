"""Pace: how long something takes at a size, as the largest size until now says; time is taken to grow as the size does."""

from __future__ import annotations


class Pace:
    """The longest times that are known, by the name of the size."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, float]] = {}

    def note(self, name: str, size: int, seconds: float) -> None:
        """So many seconds were taken at that size."""
        if size >= max(1, self._known.get(name, (0, 0.0))[0]):
            self._known[name] = (size, seconds)

    def seconds(self, name: str, size: int) -> float | None:
        """About how many it would take; None where nothing is known of the name."""
        known, seconds = self._known.get(name, (0, 0.0))
        return seconds * size / known if known else None
