"""Case: two implementations, their inputs, the declared precision; runs each side once per variant and remembers."""

from .case import Case
from .casefile import load_case_file
from .observation import observed
from .precision_modes import Retyping
from .run import Rows, Run, Unavailable
from .sides import Side
from .variant import GIVEN, LIFTED, NATIVE, SCALED_BY, Change, Inputs, Precision, Variant

__all__ = [
    "GIVEN", "LIFTED", "NATIVE", "SCALED_BY", "Case", "Change", "Inputs", "Precision", "Retyping", "Rows", "Run", "Side", "Unavailable",
    "Variant", "load_case_file", "observed",
]  # fmt: skip
