"""Root: why verdicts were wrong, and the labels of its pairs."""

from __future__ import annotations

from typing import Any

from ..registry import mistake, rounding


class Root:
    """One reason for wrong verdicts.

    Args:
        name: the tag of its pairs. declared: the precision that they declare, unless they say otherwise.
    """

    def __init__(self, name: str, declared: str = "float32") -> None:
        self.name, self.declared = name, declared

    def rounding(self, source: str, **options: Any) -> Any:
        """An honest neighbor."""
        return rounding(self.name, source, **self._with(options))

    def flip(self, source: str, **options: Any) -> Any:
        """An honest neighbor in which a near tie falls to the other side."""
        return rounding(self.name, source, **self._with(options, "FLIP"))

    def mistake(self, source: str, **options: Any) -> Any:
        """Another function."""
        return mistake(self.name, source, **self._with(options, "MISTAKE"))

    def unstable(self, source: str, **options: Any) -> Any:
        """The right function by an algorithm that loses digits."""
        return mistake(self.name, source, **self._with(options, "UNSTABLE"))

    def coarse(self, source: str, **options: Any) -> Any:
        """The right function in less than the declared precision."""
        return mistake(self.name, source, **self._with(options, "REDUCED_PRECISION"))

    def _with(self, options: dict[str, Any], verdict: str = "") -> dict[str, Any]:
        return {"tags": (self.name,), "declared": self.declared, "verdict": verdict, **options}
