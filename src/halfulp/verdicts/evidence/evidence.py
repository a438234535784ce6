"""Evidence: a measurement, and what it speaks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import InputError
from ..verdict import Verdict
from .finding import MEANINGS, Finding

Measured = bool | int | float | str | None | list[str] | list[int]


@dataclass(frozen=True)
class Evidence:
    """One thing that was measured.

    Attributes:
        kind: which measurement ("noise", "scaling", ...).
        finding: its outcome, one that the kind has ("within", "beyond", "vanishes", "stays", "unavailable" ...).
        speaks_for: the verdicts that this outcome agrees with; unless given, those that the table of findings names.
        measured: the numbers, by name, units at the end of the name.
        path: the output that decided it, "" for the only one or for all.

    Raises:
        InputError: the kind has no such finding.
    """

    kind: str
    finding: Finding
    speaks_for: tuple[Verdict, ...] = ()
    measured: Mapping[str, Measured] = field(default_factory=dict)
    path: str = ""

    def __post_init__(self) -> None:
        known = MEANINGS.get(self.kind, {})
        if self.finding not in [finding.value for finding in known]:
            needed = f"one of {', '.join(known)}" if known else f"evidence of one of these kinds: {', '.join(MEANINGS)}"
            raise InputError(
                f"Got the finding {str(self.finding)[:40]!r} in evidence of kind {self.kind[:40]!r}. Needed: {needed}. This version of "
                "halfulp doesn't know any others. Was the result written by a newer version?"
            )
        object.__setattr__(self, "finding", Finding(self.finding))
        if not self.speaks_for:
            object.__setattr__(self, "speaks_for", known[self.finding].speaks_for)

    def number(self, name: str) -> float:
        """What was measured under that name.

        Raises:
            MissingNumber: a stored result lacks it.
        """
        value = self.measured.get(name)
        if not isinstance(value, (int, float)):
            raise MissingNumber(self.kind, name)
        return float(value)


class MissingNumber(KeyError):
    """A stored result lacks what was measured.

    Attributes:
        kind: of the evidence.
    """

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(name)
        self.kind = kind


class Found(Mapping[str, Evidence]):
    """The evidence so far, by kind. Asking for a finding that a kind cannot have is an error, not an unheard question."""

    def __init__(self, evidence: Iterable[Evidence] = ()) -> None:
        self._by_kind = {measured.kind: measured for measured in evidence}

    def __getitem__(self, kind: str) -> Evidence:
        return self._by_kind[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_kind)

    def __len__(self) -> int:
        return len(self._by_kind)

    def add(self, evidence: Evidence | None) -> None:
        """Keep it, in place of what was known of its kind."""
        if evidence is not None:
            self._by_kind[evidence.kind] = evidence

    def has(self, kind: str, *findings: Finding) -> bool:
        """Whether the kind was asked for and found one of these.

        Raises:
            KeyError: the kind has no such finding.
        """
        for finding in findings:
            _ = MEANINGS[kind][finding]
        return kind in self._by_kind and self._by_kind[kind].finding in findings

    def says(self, kind: str) -> bool | None:
        """Whether the formula is right, by this kind of evidence alone; None where it says nothing or was not asked for."""
        return MEANINGS[kind][self._by_kind[kind].finding].formula if kind in self._by_kind else None
