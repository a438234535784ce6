"""Origin: where two runs begin to differ by more than rounding, and the whole walk that found it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ..differences.excess import Excess
from ..documents import document, text_of
from ..process.versions import versions
from ..shown import drawn, shown
from ..traces import Step
from ..traces.roles import Phase
from ..verdicts.verdict import Verdict
from .counterpart import MatchedBy
from .place import Place, op_in


@dataclass(frozen=True)
class Point:
    """One value of `expected` and what became of it in `actual`.

    Attributes:
        step: index of the op in the trace of `expected`. op: its overload. module, call, source, phase: where ("buffer" for a running
            statistic). output: which of its outputs.
        counterpart: how it was found, or why there is none.
        actual_op: the op of `actual` that made the counterpart, "" where there is none.
        verdict: of what is added here; None where it can't be told.
        total, inherited, added: rms differences from `expected`, relative to its rms: all, what earlier differences make of it, and what
            this op adds on the numbers that it really got.
        added_in_noise: the added part over what rounding causes here (rms). excess: 1 at the limit of rounding.
        gain: total relative difference that comes out over the largest that went in; None where nothing went in.
        note: what else is known, in words.
    """

    step: int
    op: str
    module: str
    call: int
    source: str
    phase: Phase
    output: int
    counterpart: MatchedBy
    actual_op: str
    verdict: Verdict | None
    total: float
    inherited: float
    added: float
    added_in_noise: float
    excess: float
    gain: float | None = None
    note: str = ""


class Parts(NamedTuple):
    """The rms difference of a value from `expected`, relative to its rms: all of it, what was inherited, what is added here."""

    total: float = 0.0
    inherited: float = 0.0
    added: float = 0.0


NOTHING = Parts()
NO_EXCESS = Excess(0.0, 0.0)


def point_at(
    step: Step, slot: int, counterpart: MatchedBy, *, module: str | None = None, phase: Phase | None = None, actual_op: str = "",
    verdict: Verdict | None = None, parts: Parts = NOTHING, excess: Excess = NO_EXCESS, gain: float | None = None, note: str = "",
) -> Point:  # fmt: skip
    """The point of one output of a step of `expected`; see `Point`."""
    return Point(
        step=step.index, op=step.op, module=step.module if module is None else module, call=step.call, source=step.source,
        phase=phase or step.phase, output=slot, counterpart=counterpart, actual_op=actual_op, verdict=verdict,
        total=parts.total, inherited=parts.inherited, added=parts.added, added_in_noise=excess.in_noise, excess=excess.of_limit,
        gain=gain, note=note,
    )  # fmt: skip


@dataclass(frozen=True)
class NonFinite:
    """The first op that made NaN or infinity from finite numbers.

    Attributes:
        side: "actual" or "expected". op, module, source, phase: which op. kind: "NaN" or "infinity". count: how many elements.
        inputs: what it read: shape and range of each input, in words.
    """

    side: str
    op: str
    module: str
    source: str
    phase: str
    kind: str
    count: int
    inputs: tuple[str, ...]


@shown
@dataclass(frozen=True)
class Origin:
    """Where it starts.

    Attributes:
        module: dotted path in `expected` of the first op that adds more than rounding ("": the outermost module); None where nothing does.
        op: its overload. phase: "forward", "backward", "buffer" or "step". source: its line.
        verdict: of what it adds: IDENTICAL or ROUNDING where nothing adds more, UNDECIDED where the recording doesn't tell.
        added, inherited: relative differences at that op, see `Point`. because: in words, what was seen.
        segment: where the two runs share no values inside it, all ops of `expected` it may be. between: the modules of these, where they
            are several, in order: it starts in one of them.
        walk: every value in order. more: further points that add more than rounding, after the first.
        first_bits: the first op that gives other bits from the same bits; None where there is none.
        nonfinite: see `NonFinite`. unaligned: ops that have no counterpart, per side: ("actual", op, module).
        settings: where the fingerprints differ: (name, actual, expected), most likely culprits first.
        notes: what could not be seen.
        declared: the precision that `actual` was judged by, "" for that of each result. rank: of a distributed run, where it starts.
        complete: False when the walk was interrupted. point: the one of the walk where it starts.
        place: what each side does there, arguments beside each other; None where it starts nowhere.
        case_file: the text of the case file that it was made from, "" where there is none.
        operands: what was given to the command that made it, as a shell would read it; "" where it was made in Python or from traces.
        versions: of Python and the packages that were used, the system and the processor.
    """

    module: str | None
    op: str
    phase: str
    source: str
    verdict: Verdict
    added: float
    inherited: float
    because: str
    walk: tuple[Point, ...]
    more: tuple[Point, ...] = ()
    segment: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    first_bits: Point | None = None
    nonfinite: tuple[NonFinite, ...] = ()
    unaligned: tuple[tuple[str, str, str], ...] = ()
    settings: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    declared: str = ""
    rank: int | None = None
    complete: bool = True
    point: Point | None = field(default=None)
    place: Place | None = None
    case_file: str = ""
    operands: str = ""
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def acceptable(self) -> bool | None:
        """True, False, or None when undecided."""
        return self.verdict.acceptable

    @property
    def exit_code(self) -> int:
        """What the command line exits with: 0 acceptable, 1 not, 3 undecided."""
        return self.verdict.exit_code

    def is_start(self, point: Point | None) -> bool:
        """Whether it starts at this point of the walk (a stored result has other objects, and NaN is not equal to itself)."""
        if self.point is None or point is None:
            return False
        keys = [
            (compared.step, compared.output, compared.phase, compared.counterpart, compared.op, compared.note)
            for compared in (self.point, point)
        ]
        return keys[0] == keys[1]

    def amplifying(self, count: int = 5) -> tuple[Point, ...]:
        """The points that make more of the difference that they get, largest gain first."""
        found = [point for point in self.walk if point.gain is not None and point.gain > 1.0 and point.inherited > 0.0]
        return tuple(sorted(found, key=lambda point: -(point.gain or 0.0))[:count])

    def __str__(self) -> str:
        try:
            return drawn(self)
        except ModuleNotFoundError:  # a machine with NumPy alone has no tables
            where = f" It starts at {op_in(self.op, self.module)} ({self.phase})." if self.module is not None else ""
            return f"{self.verdict.name}: {self.verdict.meaning}.{where} {self.because}"

    def to_json(self) -> str:
        """Everything, as JSON text with a schema number."""
        return text_of(document("origin", self, acceptable=self.acceptable))
