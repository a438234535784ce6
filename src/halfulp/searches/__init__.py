"""Searches: the inputs on which `actual` is farthest off, in units of what rounding does there."""

from .found import Found, Trial
from .search import search_inputs

__all__ = ["Found", "Trial", "search_inputs"]
