"""A fingerprint as text."""

from __future__ import annotations

from ...traces import Fingerprint


def fingerprint_text(found: Fingerprint) -> str:
    """Every setting by section, and what surprises in them."""
    lines: list[str] = []
    for section, entries in found.sections.items():
        lines += [section, *(f"  {name:<34} {value}" for name, value in entries.items())]
    return "\n".join([*lines, "surprises", *(f"  - {surprise}" for surprise in found.surprises or ("none that halfulp knows of",))])
