"""A tolerance as text."""

from __future__ import annotations

from ...remedies import StoredTolerance
from .tables import as_text, tolerance_table


def tolerance_text(found: StoredTolerance) -> str:
    """The line for a test, what it was derived for, and a row for each output where there are several."""
    lines = [found.line, tolerance_words(found)]
    return as_text(*lines, "", tolerance_table(found)) if len(found.tensors) > 1 else as_text(*lines)


def tolerance_words(found: StoredTolerance) -> str:
    """What it was derived for."""
    chance = f"{found.failure_probability:.0e}"
    return f"Two correct {found.declared} implementations differ by more than this in some element with probability {chance}, on inputs like these."
