"""Ops: what each computes, how it rounds, and what may be done with it. One table of names, one model of rounding, one arithmetic."""

from .record import Inside, Kind, OpRecord
from .table import OPS, called, record_of

__all__ = ["OPS", "Inside", "Kind", "OpRecord", "called", "record_of"]
