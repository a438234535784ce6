"""Elementary functions: which are had from which with few operations."""

from __future__ import annotations

from collections.abc import Iterable

FAMILIES = (
    ("exp", "exp2", "expm1", "sinh", "cosh"),
    ("log", "log2", "log10", "log1p"),
    ("sin", "cos", "tan", "sinc"),
    ("asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "angle"),
    ("asinh", "acosh", "atanh", "arcsinh", "arccosh", "arctanh"),
    ("erf", "erfc", "erfinv", "special_erfcx"),
    ("lgamma", "mvlgamma", "digamma", "polygamma", "igamma", "igammac"),
)
"""Who calls one of a family has all of it exactly."""
COMPOSED = frozenset(("rsqrt", "cbrt", "hypot", "pow"))
"""Functions of a library that are made of others: roots of operations that IEEE 754 rounds correctly, powers of exp and log. Nobody
approximates them and is left with an error of float32's size."""


def had_from(names: Iterable[str]) -> frozenset[str]:
    """The functions of the table of ops that these give exactly, themselves among them."""
    given = frozenset(names)
    return given.union(*(family for family in FAMILIES if given.intersection(family)))
