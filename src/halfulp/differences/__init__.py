"""compare(actual, reference) -> Comparison: how two results differ, in numbers, without an opinion. NumPy only."""

from .comparison import compare
from .difference import Comparison, Difference, Mismatch, WorstElement
from .leaves import Leaf, leaves_of
from .profiles import AxisProfile, profile

__all__ = [
    "AxisProfile",
    "Comparison",
    "Difference",
    "Leaf",
    "Mismatch",
    "WorstElement",
    "compare",
    "leaves_of",
    "profile",
]
