"""Labelled pairs of implementations (rounding or mistake?), and how often each tool is right about them."""

from . import mistakes, rounding
from .registry import PAIRS, Pair

__all__ = ["PAIRS", "Pair", "mistakes", "rounding"]
