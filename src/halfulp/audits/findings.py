"""Audit: what was found, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..documents import document, text_of
from ..process.versions import versions
from ..shown import shown

KINDS = {
    "promotion": "operands of different formats meet and are promoted to a common format",
    "downcast": "numbers are rounded to a coarser format",
    "autocast": "autocast chooses the format of this op",
    "python scalar": "a Python number decides the format of the result, or does not fit into it",
    "default dtype": "nothing sets the format of a result, and it gets PyTorch's default",
    "float64 constant": "a float64 tensor that is not an input meets data of a coarser format",
    "integer to float": "integers are converted to a format that can't hold all of them",
}
"""Every kind of finding, with its meaning."""


@dataclass(frozen=True)
class AuditEntry:
    """One finding.

    Attributes:
        kind: one of `KINDS`. op: the PyTorch op, without namespace. formats: dtypes of its tensor operands. result: dtype of its result.
        detail: what happens, in a sentence. where: source line of the caller ("model.py:12: y = x * scale"), "" where none is known
            (ops of a backward pass). count: how often the line did it.
    """

    kind: str
    op: str
    formats: tuple[str, ...]
    result: str
    detail: str
    where: str
    count: int = 1


@shown
@dataclass(frozen=True)
class Audit:
    """All findings about one call, in the order in which they first happened.

    Attributes:
        entries: the findings. ops: how many ops were looked at. formats: how often each dtype came out of an op.
        versions: of Python and the packages that were used, the system and the processor.
    """

    entries: tuple[AuditEntry, ...]
    ops: int
    formats: dict[str, int]
    versions: dict[str, str] = field(default_factory=versions)

    def find(self, kind: str) -> tuple[AuditEntry, ...]:
        """The findings of one kind."""
        return tuple(entry for entry in self.entries if entry.kind == kind)

    def to_json(self) -> str:
        """The audit as JSON text with a schema number."""
        return text_of(document("audit", self))
