"""An audit as text."""

from __future__ import annotations

from ...audits import Audit
from .tables import as_text, audit_table


def audit_text(found: Audit) -> str:
    """What was looked at, and a row for each finding."""
    if not found.ops:
        return audit_answer(found)
    if not found.entries:
        return f"{audit_answer(found)}\nThese ops contain no promotion, no downcast, no autocast, no constant of another format, and no integer that loses bits."
    return as_text(audit_answer(found), "", audit_table(found))


def audit_answer(found: Audit) -> str:
    """How many ops were looked at, and the formats of their results."""
    if not found.ops:
        return "No PyTorch ops were seen, so there was nothing to examine (NumPy code isn't examined)."
    formats = ", ".join(f"{count:,} {name}" for name, count in sorted(found.formats.items(), key=lambda entry: -entry[1]))
    return f"{found.ops:,} PyTorch op{'s were' if found.ops != 1 else ' was'} examined (NumPy code isn't examined); the formats of the results are: {formats or 'no tensors'}."
