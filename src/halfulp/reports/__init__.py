"""report(result) -> text. Draws, never judges. NumPy only."""

from .renderer import report

__all__ = ["report"]
