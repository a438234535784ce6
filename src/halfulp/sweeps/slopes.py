"""Growth: how an error grows with the size of a problem, beside its rounding noise, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..documents import document, text_of
from ..process.versions import versions
from ..shown import shown
from ..verdicts.verdict import Verdict


@dataclass(frozen=True)
class GrowthPoint:
    """One size. All errors are root mean squares in units of u times the root mean square of the reference.

    Attributes:
        size: what was passed to `inputs`. seed: the other argument. verdict: on actual against expected there.
        actual_error, expected_error: against the better-than-working-precision reference. difference: between the two.
        noise: how far rounding moves the result (rms over the elements). limit: times the noise is what a correct implementation stays below.
    """

    size: int
    seed: int
    verdict: Verdict
    actual_error: float
    expected_error: float
    difference: float
    noise: float
    limit: float


@dataclass(frozen=True)
class Slope:
    """The exponent p of error = c size^p, by least squares on logarithms.

    Attributes:
        of: "actual", "expected", "difference" or "noise". exponent: p. low, high: its 95 % confidence interval. factor: c.
    """

    of: str
    exponent: float
    low: float
    high: float
    factor: float


@shown
@dataclass(frozen=True)
class Growth:
    """How errors grow with the size.

    Attributes:
        points: by size and seed. slopes: fitted to them; those that have too few errors above zero are left out.
        declared: the precision whose u is the unit. names: what the two sides are called.
        seconds: how long it took. complete: False when it was interrupted, or a later size failed. stopped: why then, "" otherwise.
        case_file: the text of the case file that it was made from, "" where there is none.
        versions: of Python and the packages that were used, the system and the processor.
    """

    points: tuple[GrowthPoint, ...]
    slopes: tuple[Slope, ...]
    declared: str
    names: tuple[str, str]
    seconds: float = 0.0
    complete: bool = True
    stopped: str = ""
    case_file: str = ""
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def sizes(self) -> int:
        """How many sizes were measured."""
        return len({point.size for point in self.points})

    @property
    def worst(self) -> Verdict:
        """The verdict of the worst size."""
        return max((point.verdict for point in self.points), key=lambda verdict: verdict.severity, default=Verdict.UNDECIDED)

    @property
    def exit_code(self) -> int:
        """What the command line exits with: that of the worst size."""
        return self.worst.exit_code

    def share(self, point: GrowthPoint) -> float:
        """How far the error of actual is on the way to the limit of correct rounding: 1 at the limit."""
        bound = point.noise * point.limit
        return 0.0 if point.actual_error == 0 else point.actual_error / bound if bound else float("inf")

    def slope(self, of: str) -> Slope | None:
        """The slope of that name."""
        return next((slope for slope in self.slopes if slope.of == of), None)

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("growth", self, acceptable=self.worst.acceptable))
