"""The eight verdicts; each member carries its own meaning, and whether it is acceptable."""

from __future__ import annotations

from enum import Enum
from typing import Any


class Verdict(Enum):
    """What the difference between two implementations is.

    Attributes:
        meaning: the verdict in a sentence.
        acceptable: True, False, or None when undecided.
    """

    IDENTICAL = ("same bits", True)
    ROUNDING = ("the difference is rounding in the declared precision", True)
    FLIP = ("a comparison or a rounding step was so close to its threshold that rounding changed its outcome; both sides are right", True)
    REDUCED_PRECISION = ("the formula is right, but part of it runs in less than the declared precision", False)
    UNSTABLE = ("the formula is right, but the algorithm loses digits that the expected one keeps", False)
    NONDETERMINISTIC = ("two runs of the same implementation differ by more than rounding", False)
    MISTAKE = ("the two compute different functions", False)
    UNDECIDED = ("the evidence is not enough, or the problem is too ill-conditioned", None)

    meaning: str
    acceptable: bool | None

    def __init__(self, meaning: str, acceptable: bool | None) -> None:
        self.meaning = meaning
        self.acceptable = acceptable

    @property
    def severity(self) -> int:
        """Its place in the order from the best, 0, to the worst, 7; what is undecided stands between what is acceptable and what is not."""
        return _BY_SEVERITY.index(self)

    @property
    def exit_code(self) -> int:
        """0 acceptable, 1 not, 3 undecided (2 is left to usage errors)."""
        return 3 if self.acceptable is None else int(not self.acceptable)

    def __repr__(self) -> str:
        return f"Verdict.{self.name}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Stored by name."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.__getitem__, core_schema.literal_schema([verdict.name for verdict in cls]))


_BY_SEVERITY = (
    Verdict.IDENTICAL, Verdict.ROUNDING, Verdict.FLIP, Verdict.UNDECIDED, Verdict.REDUCED_PRECISION, Verdict.UNSTABLE,
    Verdict.NONDETERMINISTIC, Verdict.MISTAKE,
)  # fmt: skip
