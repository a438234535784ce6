"""How the additions of a known tree round: the accumulator's precision, the rounding mode, and whether products are fused.

Each probe sets two or three leaves, chosen so that the tree adds them in a known order, and leaves the others zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..floats import FORMATS, Format
from ..orders import Tree
from ..orders.tree import ADD, ADD_EXTRA, ADD_TERM, PUSH_EXTRA, PUSH_TERM
from .masking import Masks

Indices = npt.NDArray[np.int64]

ASKED = 256
"""At how many additions of a product it is asked whether it is fused: all shapes of the tree first."""


@dataclass(frozen=True)
class Arithmetic:
    """What the probes say.

    Attributes:
        precision_bits: of the partial sums; 0 where the tree is too small to tell.
        rounding: "nearest" or "toward zero".
        fma: whether products are added without being rounded; None where that can't be seen. fused, asked: at how many of the additions.
    """

    precision_bits: int
    rounding: str
    fma: bool | None
    fused: int
    asked: int

    def accumulator(self, inputs: Format) -> str:
        """The format of the partial sums, by its precision; that of the inputs where the probes can't tell."""
        of_width = {53: "float64", 24: "float32", 11: "float16", 8: "bfloat16"}
        return of_width.get(self.precision_bits, "float64" if self.precision_bits > 53 else inputs.name)


def arithmetic_of(masks: Masks, tree: Tree) -> Arithmetic:
    """The arithmetic in which a function adds, given the order in which it adds."""
    inputs = masks.implementation.arguments[masks.contraction.factors[0].argument].format
    bits, rounding = _accumulator(masks, tree, inputs)
    fma, fused, asked = None, 0, 0
    if len(masks.contraction.factors) > 1 and inputs.name in ("float32", "float64") and bits in (0, inputs.precision_bits):
        pairs = _products_added(tree)
        if len(pairs):
            fused, asked = _fused(masks, pairs, inputs), len(pairs)
            fma = True if fused == asked else False if fused == 0 else None
    return Arithmetic(bits, rounding, fma, fused, asked)


def _accumulator(masks: Masks, tree: Tree, inputs: Format) -> tuple[int, str]:
    """(1 + 2^-e) - 1 is 2^-e as long as e is below the precision of the partial sums."""
    three = _joined_first(tree)
    if three is None:
        return 0, "nearest"
    # float16 has no 2^-e beside 1 for e > 24: 2^15 takes the place of 1.
    top = 2.0**15 if inputs.exponent_max < 100 else 1.0
    exponents = np.arange(2, 40 if inputs.exponent_max < 100 else 72)
    leaves = np.tile(np.array(three), (len(exponents), 1))
    values = np.stack([np.full(len(exponents), top), top * 2.0**-exponents, np.full(len(exponents), -top)], 1)
    kept = masks.evaluate(leaves, values) == values[:, 1]
    if kept.all():
        return int(exponents[-1]), "nearest"
    bits = int(exponents[np.argmin(kept)])  # the first e that is lost is the precision p: 1 + 2^-p is a tie, rounded to 1
    # 3/4 of the last place: kept by rounding to nearest, cut off by rounding toward zero.
    probe = np.array([[top, top * 0.75 * 2.0 ** (1 - bits), -top]])
    nearest = masks.evaluate(leaves[:1], probe)[0] != 0
    return bits, "nearest" if nearest else "toward zero"


def _joined_first(tree: Tree) -> tuple[int, int, int] | None:
    """Two terms that are added to each other before a third one comes in."""
    for members in tree.nodes():
        terms = [each for each in members if each < tree.terms]
        if len(terms) == len(members) == 2 and tree.terms > 2:
            third = next(each for each in (tree.terms - 1, 0, 1) if each not in terms)
            return terms[0], terms[1], third
    return None


def _products_added(tree: Tree) -> Indices:
    """(a term already in the accumulator, the term added to it) for additions of single products, spread over the tree."""
    program = tree.program()
    stack: list[int] = []
    pairs: list[tuple[int, int]] = []
    for operation, argument in zip(program.operations.tolist(), program.arguments.tolist()):
        if operation == PUSH_TERM:
            stack.append(argument)
        elif operation == PUSH_EXTRA:
            stack.append(-1)
        elif operation == ADD_TERM:
            if stack[-1] >= 0:
                pairs.append((stack[-1], argument))
            stack[-1] = argument
        elif operation == ADD:
            stack.pop()
        elif operation != ADD_EXTRA:
            del stack[len(stack) - argument + 1 :]
    chosen = np.unique(np.linspace(0, max(0, len(pairs) - 1), ASKED).astype(int))
    return np.array([pairs[place] for place in chosen], np.int64).reshape(-1, 2) if pairs else np.zeros((0, 2), np.int64)


def _fused(masks: Masks, pairs: Indices, inputs: Format) -> int:
    """At how many of the additions 3 (2^(p-1) + 1) - 3 2^(p-1) is 3: rounded to p bits first, the product makes it 4."""
    half = 2.0 ** (inputs.precision_bits - 1)
    values = np.tile(np.array([-half, half + 1.0]), (len(pairs), 1))
    return int((masks.evaluate(pairs, values, other=3.0) == 3.0).sum())


def format_of_bits(bits: int) -> Format | None:
    """The format with this precision among those that accumulators have."""
    return next((FORMATS[name] for name in ("float64", "float32", "float16", "bfloat16") if FORMATS[name].precision_bits == bits), None)
