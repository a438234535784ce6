"""Searches: the inputs on which `actual` is farthest off, in units of what rounding does there."""

from .found import Found, Trial, is_defined
from .search import search_inputs

__all__ = ["Found", "Trial", "is_defined", "search_inputs"]
