"""How the additions of a known tree round: the accumulator's precision, the rounding mode, and whether products are fused.

Each probe sets two or three leaves, chosen so that the tree adds them in a known order, and leaves the others zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..floats import Format
from ..orders import Tree
from ..orders.tree import ADD, ADD_EXTRA, ADD_TERM, PUSH_EXTRA, PUSH_TERM
from .masks import Masks

Indices = npt.NDArray[np.int64]

ASKED = 256
"""At how many additions of a product, spread over the tree, it is asked whether it is fused; at all where answers differ."""


@dataclass(frozen=True)
class Arithmetic:
    """What the probes say.

    Attributes:
        precision_bits: of the partial sums; 0 where the tree is too small to tell.
        rounding: "nearest" or "toward zero".
        fma: whether products are added without being rounded; None where that can't be seen.
        unfused: the terms that are rounded first while others are not, see `Order`.
    """

    precision_bits: int
    rounding: str
    fma: bool | None
    unfused: tuple[int, ...] = ()

    def accumulator(self, inputs: Format) -> str:
        """The format of the partial sums, by its precision; that of the inputs where the probes can't tell."""
        of_width = {53: "float64", 24: "float32", 11: "float16", 8: "bfloat16"}
        return of_width.get(self.precision_bits, "float64" if self.precision_bits > 53 else inputs.name)


OTHER = 3.0
"""The other factor of the probes. 3 (2^(p-1) + 1) has p + 2 bits and ends in ones: it is no number of p bits."""


SLACK = 2.0**-6
"""A mean's result is rounded once more. What the probes tell apart differs by a third at least."""


def arithmetic_of(masks: Masks, tree: Tree) -> Arithmetic:
    """The arithmetic in which a function adds, given the order in which it adds; asked in one go."""
    inputs = masks.implementation.arguments[masks.contraction.factors[0].argument].format
    three = _joined_first(tree)
    exponents, top = _exponents(inputs)
    is_product = len(masks.contraction.factors) > 1 and inputs.name in ("float32", "float64")
    every = _products_added(tree) if is_product else np.zeros((0, 3), np.int64)
    pairs = every[np.unique(np.linspace(0, max(0, len(every) - 1), ASKED).astype(int))] if len(every) else every
    widths = 0 if three is None else len(exponents)
    if not widths + len(pairs):
        return Arithmetic(0, "nearest", None)
    leaves = np.concatenate((np.tile(np.array(three or (0, 0, 0)), (widths, 1)), pairs[:, (0, 1, 1)]))
    ones = np.full(widths, top)
    values = np.concatenate((np.stack([ones, top * 2.0 ** -exponents[:widths], -ones], 1), _inexact(len(pairs), inputs)))
    results = masks.evaluate(leaves, values, OTHER) / (OTHER * masks.factor)
    bits, rounding = _accumulator(results[:widths] / top, exponents[:widths])
    if not len(pairs) or bits not in (0, inputs.precision_bits):
        return Arithmetic(bits, rounding, None)

    def asked(pairs: Indices) -> npt.NDArray[np.bool_]:
        return _is_fused(masks.evaluate(pairs[:, (0, 1, 1)], _inexact(len(pairs), inputs), OTHER) / (OTHER * masks.factor))

    is_fused = _is_fused(results[widths:])
    if is_fused.all():
        return Arithmetic(bits, rounding, True)
    meet_first = pairs[~is_fused & (pairs[:, 2] == 1)]
    if not is_fused.any() and not (len(meet_first) and asked(meet_first[:, (1, 0, 2)]).any()):
        return Arithmetic(bits, rounding, False)
    is_fused = asked(every)  # mixed: then every addition is asked
    rounded = every[~is_fused]
    meet_first = rounded[rounded[:, 2] == 1]
    both = meet_first[~asked(meet_first[:, (1, 0, 2)]), 0] if len(meet_first) else meet_first[:, 0]
    return Arithmetic(bits, rounding, True, tuple(sorted([*rounded[:, 1].tolist(), *both.tolist()])))


def _inexact(count: int, inputs: Format) -> npt.NDArray[np.float64]:
    """Values of two leaves, the second named twice: 3 (2^(p-1) + 1) - 3 2^(p-1) is 3; rounded to p bits first, the product makes it 4."""
    half = 2.0 ** (inputs.precision_bits - 1)
    return np.tile(np.array([-half, half + 1.0, half + 1.0]), (count, 1))


def _is_fused(results: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    return np.isclose(results, 1.0, rtol=SLACK)


def _exponents(inputs: Format) -> tuple[npt.NDArray[np.int64], float]:
    """The exponents to try, and what stands for 1: float16 has no 2^-e beside 1 for e > 24."""
    return (np.arange(2, 37), 2.0**13) if inputs.exponent_max < 100 else (np.arange(2, 72), 1.0)


def _accumulator(kept: npt.NDArray[np.float64], exponents: Indices) -> tuple[int, str]:
    """(precision, rounding) from (3 + 3 2^-e) - 3 over 3, which is 2^-e as long as e is at most p - 2.

    The last place of 3 is 2^(2-p): 3 2^-(p-1) is one and a half of it, the first that is not kept, and 3 2^-p is three quarters of it,
    which rounding to nearest makes one and rounding toward zero drops.
    """
    lost = ~np.isclose(kept, 2.0**-exponents, rtol=SLACK, atol=0.0)
    if not len(lost):
        return 0, "nearest"
    if not lost.any():
        return int(exponents[-1]) + 2, "nearest"
    first = int(np.argmax(lost))
    bits = int(exponents[first]) + 1
    rounded = first + 1 >= len(kept) or kept[first + 1] != 0
    return bits, "nearest" if rounded else "toward zero"


def _joined_first(tree: Tree) -> tuple[int, int, int] | None:
    """Two terms that are added to each other before a third one comes in."""
    program = tree.program()
    starts = np.flatnonzero((program.operations[:-1] == PUSH_TERM) & (program.operations[1:] == ADD_TERM))
    if not len(starts) or tree.terms < 3:
        return None
    first, second = (int(argument) for argument in program.arguments[starts[0] : starts[0] + 2])
    return first, second, next(number for number in (tree.terms - 1, 0, 1) if number not in (first, second))


def _products_added(tree: Tree) -> Indices:
    """(a term already in the accumulator, the term added to it, whether the two are alone so far) for each addition of a single product."""
    program = tree.program()
    stack: list[int] = []
    pairs: list[tuple[int, int, int]] = []
    before = -1
    for operation, argument in zip(program.operations.tolist(), program.arguments.tolist()):
        if operation == PUSH_TERM:
            stack.append(argument)
        elif operation == PUSH_EXTRA:
            stack.append(-1)
        elif operation == ADD_TERM:
            if stack[-1] >= 0:
                pairs.append((stack[-1], argument, int(before == PUSH_TERM)))
            stack[-1] = argument
        elif operation == ADD:
            stack.pop()
        elif operation != ADD_EXTRA:
            del stack[len(stack) - argument + 1 :]
        before = operation
    return np.array(pairs, np.int64).reshape(-1, 3)
