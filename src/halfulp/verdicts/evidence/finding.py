"""What each kind of evidence can find, and what each finding says: which verdicts it agrees with, and whether the formula is right."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..verdict import Verdict

V = Verdict


class Finding(str, Enum):
    """The outcome of a measurement, in a word; stored as that word."""

    SAME = "same"
    DIFFERS = "differs"
    DIFFER = "differ"
    ALL_NAN = "all NaN"
    REPORTED = "reported"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"
    FAILS = "fails"
    UNWRITTEN_MEMORY = "unwritten memory"
    BEYOND_ROUNDING = "beyond rounding"
    WITHIN_ROUNDING = "within rounding"
    WITHIN = "within"
    WITHIN_PROVED_BOUND = "within the proved bound"
    BEYOND = "beyond"
    EXPLAIN = "explain"
    LOSE_NOTHING = "lose nothing"
    DO_NOT_EXPLAIN = "do not explain"
    ACTUAL = "actual"
    EXPECTED = "expected"
    NEITHER = "neither"
    VANISHES = "vanishes"
    CONSTANTS = "constants"
    LOST_IN_FLOAT64 = "lost in float64 too"
    APPROXIMATES = "approximates a function"
    STAYS = "stays"
    AGREES_IN_FLOAT32 = "agrees in float32"
    GROWS_IN_FLOAT32 = "grows in float32"
    GROWS_IN_BFLOAT16 = "grows in bfloat16"
    STAYS_IN_BFLOAT16 = "stays in bfloat16"
    JUMPS = "jumps"
    NO_JUMP = "no jump"
    EXACT = "exact"
    NEARLY_EXACT = "nearly exact"
    SCALES_ALIKE = "scales alike"
    FOLLOWS = "follows"
    PATTERNED = "patterned"
    RANDOM = "random"
    SYSTEMATIC = "systematic"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REPRODUCED = "reproduced"
    CORRELATES = "correlates"
    SAME_SIZE = "same size"
    NOT_REPRODUCED = "not reproduced"
    NONE = "none"
    TOO_FEW_OUTPUTS = "too few outputs"
    LEAVES_THE_RANGE = "leaves the range"
    LEANS = "leans"
    OVERLAPPING_WRITES = "overlapping writes"
    REARRANGED = "rearranged"

    def __str__(self) -> str:
        return self.value


F = Finding


class Meaning(NamedTuple):
    """What a finding says.

    Attributes:
        speaks_for: the verdicts that it agrees with. formula: whether the two sides compute one function; None where it says nothing.
    """

    speaks_for: tuple[Verdict, ...] = ()
    formula: bool | None = None


ANY = Meaning(tuple(V))
NOT_RANDOM = Meaning(tuple(verdict for verdict in V if verdict is not V.NONDETERMINISTIC))
SOUND = Meaning((V.IDENTICAL, V.ROUNDING, V.FLIP, V.REDUCED_PRECISION, V.UNSTABLE))
UNEQUAL = Meaning((V.ROUNDING, V.FLIP, V.REDUCED_PRECISION, V.UNSTABLE, V.NONDETERMINISTIC, V.MISTAKE))
RIGHT = Meaning((V.ROUNDING, V.FLIP, V.REDUCED_PRECISION, V.UNSTABLE), formula=True)
WRONG = Meaning((V.MISTAKE,), formula=False)
WRONG_OR_COARSE = Meaning((V.MISTAKE, V.REDUCED_PRECISION), formula=False)
RANDOM = Meaning((V.NONDETERMINISTIC,))
COARSE = Meaning((V.REDUCED_PRECISION,))
HONEST = Meaning((V.ROUNDING, V.IDENTICAL))
REDRAWN = Meaning((V.ROUNDING, V.UNSTABLE, V.FLIP), formula=True)

MEANINGS: dict[str, dict[Finding, Meaning]] = {
    "structure": {F.SAME: SOUND, F.DIFFERS: Meaning((V.MISTAKE,))},
    "effects": {F.REPORTED: ANY},
    "stored": {F.REPORTED: ANY},
    "vacuous": {F.REPORTED: ANY, F.REFUSED: Meaning((V.UNDECIDED,))},
    "specials": {F.SAME: SOUND, F.DIFFER: Meaning((V.MISTAKE,)), F.ALL_NAN: Meaning((V.UNDECIDED,))},
    "bits": {F.SAME: Meaning((V.IDENTICAL,)), F.DIFFER: UNEQUAL},
    "repetition": {
        F.UNAVAILABLE: ANY, F.SAME: NOT_RANDOM, F.DIFFERS: RANDOM, F.FAILS: RANDOM, F.UNWRITTEN_MEMORY: RANDOM, F.BEYOND_ROUNDING: RANDOM,
        F.WITHIN_ROUNDING: Meaning((V.ROUNDING, V.NONDETERMINISTIC)),
    },
    "noise": {F.WITHIN: HONEST, F.BEYOND: Meaning((V.FLIP, V.REDUCED_PRECISION, V.UNSTABLE, V.MISTAKE))},
    "backward_error": {
        F.WITHIN: HONEST, F.WITHIN_PROVED_BOUND: Meaning((V.REDUCED_PRECISION, V.UNSTABLE, V.MISTAKE)),
        F.BEYOND: Meaning((V.REDUCED_PRECISION, V.UNSTABLE, V.MISTAKE)),
    },
    "fast_products": {F.EXPLAIN: Meaning((V.ROUNDING,)), F.DO_NOT_EXPLAIN: Meaning((V.UNSTABLE, V.REDUCED_PRECISION))},
    "peer": {F.ACTUAL: ANY, F.EXPECTED: ANY, F.NEITHER: ANY},
    "scaling": {
        F.VANISHES: RIGHT, F.CONSTANTS: RIGHT, F.LOST_IN_FLOAT64: RIGHT, F.APPROXIMATES: RIGHT,
        F.AGREES_IN_FLOAT32: RIGHT, F.GROWS_IN_FLOAT32: RIGHT, F.GROWS_IN_BFLOAT16: RIGHT,
        F.STAYS: WRONG_OR_COARSE, F.STAYS_IN_BFLOAT16: WRONG_OR_COARSE, F.UNAVAILABLE: ANY,
    },
    "overflow": {
        F.LEAVES_THE_RANGE: Meaning((V.UNSTABLE,), formula=True), F.EXPECTED: RIGHT, F.DIFFER: WRONG, F.UNAVAILABLE: ANY,
    },
    "gain": {F.LEANS: Meaning((V.UNSTABLE, V.REDUCED_PRECISION, V.MISTAKE)), F.RANDOM: ANY},
    "forward_error": {F.WITHIN: Meaning((V.ROUNDING, V.UNSTABLE)), F.BEYOND: Meaning((V.UNSTABLE, V.REDUCED_PRECISION, V.MISTAKE))},
    "own_noise": {F.WITHIN: Meaning((V.ROUNDING, V.UNSTABLE)), F.BEYOND: Meaning((V.REDUCED_PRECISION, V.MISTAKE, V.UNSTABLE))},
    "conditioning": {F.WITHIN: HONEST, F.BEYOND: Meaning((V.REDUCED_PRECISION, V.UNSTABLE, V.MISTAKE))},
    "flips": {F.JUMPS: Meaning((V.FLIP,)), F.NO_JUMP: Meaning((V.MISTAKE, V.REDUCED_PRECISION, V.UNSTABLE))},
    "integers": {
        F.EXACT: RIGHT, F.NEARLY_EXACT: Meaning((V.ROUNDING, V.REDUCED_PRECISION, V.UNSTABLE), formula=True), F.DIFFER: WRONG,
        F.UNAVAILABLE: ANY,
    },
    # That single numbers come through says little of their sums: only a difference counts.
    "impulses": {F.EXACT: RIGHT._replace(formula=None), F.NEARLY_EXACT: RIGHT._replace(formula=None), F.DIFFER: WRONG, F.UNAVAILABLE: ANY},
    "powers": {F.SCALES_ALIKE: NOT_RANDOM, F.DIFFER: WRONG, F.UNAVAILABLE: ANY},
    "permutations": {F.FOLLOWS: ANY, F.DIFFER: WRONG, F.UNAVAILABLE: ANY},
    "patterns": {F.PATTERNED: WRONG_OR_COARSE._replace(formula=None), F.RANDOM: ANY},
    "redraw": {F.RANDOM: REDRAWN, F.SYSTEMATIC: WRONG_OR_COARSE, F.UNAVAILABLE: ANY},
    "wide_redraw": {F.RANDOM: REDRAWN, F.SYSTEMATIC: WRONG_OR_COARSE._replace(formula=None), F.UNAVAILABLE: ANY},
    "precision": {
        F.REPRODUCED: COARSE, F.CORRELATES: COARSE, F.SAME_SIZE: COARSE, F.NOT_REPRODUCED: Meaning((V.UNSTABLE, V.MISTAKE, V.FLIP)),
    },
    "inside": {F.BEYOND: Meaning((V.REDUCED_PRECISION, V.UNSTABLE, V.MISTAKE, V.NONDETERMINISTIC))},
    "casts": {F.EXPLAIN: COARSE, F.LOSE_NOTHING: HONEST, F.DO_NOT_EXPLAIN: Meaning((V.MISTAKE,))},
    "families": {F.REPRODUCED: Meaning((V.ROUNDING,)), F.TOO_FEW_OUTPUTS: Meaning(), F.NONE: Meaning()},
    "rearrangement": {F.REARRANGED: ANY},
    "overlap": {F.OVERLAPPING_WRITES: Meaning((V.MISTAKE, V.NONDETERMINISTIC))},
    "search": {F.CHANGED: Meaning(), F.UNCHANGED: Meaning()},
    # Of one op on the numbers that it really got (`locate`).
    "neighbors": {F.WITHIN: HONEST},
    "kernel": {F.DIFFERS: WRONG},
    "loosened": {F.WITHIN: HONEST},
}  # fmt: skip
"""Kind of evidence -> finding -> what it says. A new kind of evidence has its row here."""
