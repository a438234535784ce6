"""Case: two implementations, their inputs, the declared precision; runs each side once per variant and remembers."""

from .case import Case, Rows, Run, Unavailable, Variant
from .casefile import load_case_file
from .lifting import Retyping
from .sides import Side

__all__ = ["Case", "Retyping", "Rows", "Run", "Side", "Unavailable", "Variant", "load_case_file"]
