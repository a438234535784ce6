"""Benchmark: how often a checker is right, as it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..documents import document, text_of
from ..shown import shown
from ..traces import Fingerprint


@dataclass(frozen=True)
class Figure:
    """One number.

    Attributes:
        value: the number. unit: what it counts.
    """

    value: float
    unit: str


@dataclass(frozen=True)
class DetectionLimit:
    """The smallest fault of a kind that is seen in one op.

    Attributes:
        op: its name, or that of a whole model. precision: that it computes in. fault: the kind ("factor", "epsilon", ...).
        in_u: checker -> the smallest magnitude that it sees in 95 of 100 draws, in units of u of the precision; None where it sees none.
    """

    op: str
    precision: str
    fault: str
    in_u: dict[str, float | None]


@shown
@dataclass(frozen=True)
class Benchmark:
    """What a run of `halfulp bench` found.

    Attributes:
        figures: by name. fingerprint: of the machine.
        outcomes: of each pair: "part" of the benchmark, "pair", "kind" (the truth: "rounding", "mistake" or "undecided"), "verdict" and "said": what each checker said
            (True: accepted), and more by the part that it belongs to.
        limits: the smallest faults that are seen, where these were measured.
    """

    figures: dict[str, Figure]
    fingerprint: Fingerprint
    outcomes: tuple[dict[str, Any], ...] = ()
    limits: tuple[DetectionLimit, ...] = ()

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("benchmark", self))
