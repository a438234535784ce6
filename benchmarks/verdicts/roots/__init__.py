"""Pairs for what verdicts have got wrong before: a file for each root, misses beside their nearest honest neighbors."""

from . import (
    accumulators,
    constants,
    deep_layers,
    default_dtypes,
    finer_inside,
    lost_digits,
    lost_results,
    one_sided,
    overflows,
    spellings,
    subnormals,
    ties,
)

__all__ = [
    "accumulators",
    "constants",
    "deep_layers",
    "default_dtypes",
    "finer_inside",
    "lost_digits",
    "lost_results",
    "one_sided",
    "overflows",
    "spellings",
    "subnormals",
    "ties",
]
