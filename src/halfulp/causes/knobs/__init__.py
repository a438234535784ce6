"""What can be changed about how PyTorch computes, one knob for each, with what it touches and how it is put back."""

from .knob import Knob, NotApplicable
from .table import knobs

__all__ = ["Knob", "NotApplicable", "knobs"]
