"""CheckResult: everything that check found, printable, storable as JSON, and judgeable again."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..differences import Comparison
from ..documents import document, parsed, restored, text_of
from ..shown import shown
from ..words.visible import cleaned, fitting, visible
from .closeup import Closeup
from .evidence.evidence import Evidence
from .reasons import reason, warnings_of
from .verdict import Verdict


@shown
@dataclass(frozen=True)
class CheckResult:
    """The answer to "rounding or mistake?" with what it rests on.

    Attributes:
        verdict: one of the eight.
        because: the kinds of evidence that decided, most decisive first.
        evidence: all that was measured.
        difference: `actual` against `expected` in numbers.
        declared: the precision that `actual` was judged by.
        names: what the two sides are called, (actual, expected).
        seed: the seed of the inputs and of the sampled noise.
        seconds: how long it took.
        versions: of Python and the packages that were used, the system and the processor.
        case_file: the text of the case file that it was made from, "" where there is none.
        closeups: of each output, where they were asked for: what pictures are drawn from.
        operands: what was given to the command that made it, as a shell would read it; "" where it was made in Python.
    """

    verdict: Verdict
    because: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    difference: Comparison
    declared: str
    names: tuple[str, str] = ("actual", "expected")
    seed: int = 0
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    closeups: tuple[Closeup, ...] = ()
    case_file: str = ""
    operands: str = ""

    @property
    def acceptable(self) -> bool | None:
        """True, False, or None when undecided."""
        return self.verdict.acceptable

    @property
    def exit_code(self) -> int:
        """What the command line exits with: 0 acceptable, 1 not, 3 undecided."""
        return self.verdict.exit_code

    @property
    def reason(self) -> str:
        """The reason for the verdict in a sentence."""
        with fitting(self):
            return visible(reason(cleaned(self)), lines=True)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What this verdict does not cover, in sentences (constant outputs, inputs of zeros, an `expected` that overflows)."""
        with fitting(self):
            return tuple(visible(sentence, lines=True) for sentence in warnings_of(cleaned(self)))

    def find(self, kind: str) -> Evidence | None:
        """The evidence of that kind, None when it was not gathered."""
        return next((evidence for evidence in self.evidence if evidence.kind == kind), None)

    def to_json(self) -> str:
        """The result as JSON text with a schema number; numbers that JSON lacks are the strings "nan", "inf", "-inf"."""
        return text_of(document("check", self, acceptable=self.acceptable, reason=self.reason, warnings=list(self.warnings)))

    @staticmethod
    def from_json(text: str) -> CheckResult:
        """The result that `to_json` wrote.

        Raises:
            InputError: the text is no such JSON, or of a schema that this version does not know.
        """
        return restored("check", parsed(text))
