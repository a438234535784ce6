"""Evidence: a measurement, and what it speaks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..verdict import Verdict

Measured = bool | int | float | str | None | list[str] | list[int]


@dataclass(frozen=True)
class Evidence:
    """One thing that was measured.

    Attributes:
        kind: which measurement ("noise", "scaling", ...).
        finding: its outcome in a word that `judge` goes by ("within", "beyond", "vanishes", "stays", "unavailable" ...).
        speaks_for: the verdicts that this outcome agrees with.
        measured: the numbers, by name, units at the end of the name.
        path: the output that decided it, "" for the only one or for all.
    """

    kind: str
    finding: str
    speaks_for: tuple[Verdict, ...] = ()
    measured: dict[str, Measured] = field(default_factory=dict)
    path: str = ""
