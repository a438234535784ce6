"""Case: two implementations, their inputs, the declared precision; runs each side once per variant and remembers."""

from .case import Case
from .casefile import load_case_file
from .deadline import Deadline, OutOfTime
from .known import Known
from .observation import observed
from .precision_modes import Retyping
from .run import Rows, Run, Unavailable
from .sides import Side
from .stored import Stored, require_runnable
from .variant import GIVEN, LIFTED, NATIVE, SCALED_BY, Change, Inputs, Precision, Variant

__all__ = [
    "GIVEN", "LIFTED", "NATIVE", "SCALED_BY", "Case", "Change", "Deadline", "Inputs", "Known", "OutOfTime", "Precision", "Retyping", "Rows",
    "Run", "Side", "Stored", "Unavailable", "Variant", "load_case_file", "observed", "require_runnable",
]  # fmt: skip
