"""All ops by name."""

from __future__ import annotations

import difflib

from ...errors import InputError
from .functions import FUNCTIONS
from .indexing import INDEXING
from .normalizations import NORMALIZATIONS
from .op import BY_NAME, Op
from .pooling import POOLING
from .products import PRODUCTS
from .recurrent import RECURRENT
from .reductions import REDUCTIONS

OPS: dict[str, Op] = {op.name: op for op in (*PRODUCTS, *NORMALIZATIONS, *FUNCTIONS, *REDUCTIONS, *POOLING, *RECURRENT, *INDEXING)}
"""Name -> op, in the order in which tables show them."""
BY_NAME.update(OPS)


def op_named(name: str) -> Op:
    """An op of the table.

    Raises:
        InputError: there is none of that name.
    """
    if name not in OPS:
        near = difflib.get_close_matches(name, OPS, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise InputError(
            f"Got the op {name!r}. Needed: one of {', '.join(OPS)}. Only these are mapped to the backends. {hint}Name one of them."
        )
    return OPS[name]
