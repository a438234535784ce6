"""report(result) -> text. Draws, never judges. NumPy only."""

from .rendering import report

__all__ = ["report"]
