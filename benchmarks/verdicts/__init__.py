"""Labelled pairs of implementations (rounding or mistake?), and how often each tool is right about them."""

from . import by_verdict, mistakes, roots, rounding, state
from .registry import PAIRS, Pair

__all__ = ["PAIRS", "Pair", "by_verdict", "mistakes", "roots", "rounding", "state"]
