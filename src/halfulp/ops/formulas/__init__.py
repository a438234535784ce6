"""Formulas: what each op computes, as a textbook writes it, over NumPy arrays. One file per kind of op.

They need no framework, so recorded runs are compared anywhere; `tests/origins/test_formulas.py` holds each against PyTorch in float64.
"""

from __future__ import annotations

from typing import Any

from . import attention, elementwise, images, indexing, normalizations, optimizers, products, recurrent, reductions, shapes
from .table import FORMULAS, Formula

__all__ = ["FORMULAS", "Formula", "formula_of"]

_KINDS = (attention, elementwise, images, indexing, normalizations, optimizers, products, recurrent, reductions, shapes)


def formula_of(name: str) -> Formula | None:
    """The formula of an op (`Step.name`); None where there is none.

    Ops on lists of tensors ("_foreach_add") apply the formula of one to each.
    """
    found = FORMULAS.get(name)
    if found is None and name.startswith("_foreach_"):
        one = FORMULAS.get(name.removeprefix("_foreach_"))
        return None if one is None else _on_each(one)
    return found


def _on_each(one: Formula) -> Formula:
    def each(fl: Any, first: list[Any], *others: Any, **keywords: Any) -> tuple[Any, ...]:
        def at(value: Any, place: int) -> Any:
            return value[place] if isinstance(value, (list, tuple)) else value

        return tuple(
            one(fl, x, *(at(other, place) for other in others), **{key: at(value, place) for key, value in keywords.items()})
            for place, x in enumerate(first)
        )

    return each
