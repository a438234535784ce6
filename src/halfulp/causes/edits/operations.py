"""Another op of the same kind, another form of an operand, a factor or term left out, a mean of ratios."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..calls import Call
from ..graph import Graph, Made, Node
from .edit import Edit, needs_of, value_of, with_operand

OTHERS = {
    "add": ("sub",), "sub": ("add",), "mul": ("div",), "div": ("mul",), "maximum": ("minimum",), "minimum": ("maximum",), "max": ("min",),
    "min": ("max",), "amax": ("amin",), "amin": ("amax",), "argmax": ("argmin",), "argmin": ("argmax",), "sum": ("mean",), "mean": ("sum",),
    "floor": ("ceil", "round", "trunc"), "ceil": ("floor", "round", "trunc"), "round": ("floor", "ceil", "trunc"), "sin": ("cos",),
    "cos": ("sin",), "sigmoid": ("tanh", "relu"), "tanh": ("sigmoid",), "relu": ("abs", "sigmoid"), "abs": ("square",), "square": ("abs",),
    "log": ("log1p",), "log1p": ("log",), "exp": ("expm1",), "expm1": ("exp",), "var": ("std",), "std": ("var",), "any": ("all",),
    "all": ("any",), "logical_and": ("logical_or",), "logical_or": ("logical_and",), "eq": ("ne",), "ne": ("eq",), "softmax": ("log_softmax", "sigmoid"),
    "log_softmax": ("softmax",), "cumsum": ("logcumsumexp",), "median": ("mean",), "prod": ("sum",), "sqrt": ("rsqrt",), "rsqrt": ("sqrt",),
}  # fmt: skip
"""What is taken one for the other."""
NEUTRAL = {"mul": (1.0, "factor"), "div": (1.0, "divisor"), "add": (0.0, "term"), "sub": (0.0, "term"), "matmul": (0.0, "product")}
"""The number that leaves the other operand as it is."""
FORMS: tuple[tuple[str, str, Callable[[torch.Tensor], torch.Tensor]], ...] = (
    ("sign", "minus {}", torch.neg),
    ("another form", "the square of {}", torch.square),
    ("another form", "the root of {}", torch.sqrt),
    ("another form", "the absolute value of {}", torch.abs),
    ("another form", "1 minus {}", lambda x: 1 - x),
    ("another form", "1 plus {}", lambda x: 1 + x),
    ("another form", "the tanh of {}", torch.tanh),
    ("another form", "the sigmoid of {}", torch.sigmoid),
    ("another form", "the exponential of {}", torch.exp),
    ("another form", "the logarithm of {}", torch.log),
)
"""What is forgotten about an operand, or made of it once too often."""


def exchanged_ops(_: Graph, node: Node) -> Iterator[Edit]:
    """Another op on the same operands."""
    for other in OTHERS.get(node.name, ()):
        function = getattr(torch, other)

        def compute(call: Call, function: Any = function) -> Any:
            return function(*call.arguments, **{key: value for key, value in call.keywords.items() if key != "out"})

        yield Edit("another op", f"{other} instead of {node.name}", ("op", other), {node.number: compute})


def neutral_operands(graph: Graph, node: Node) -> Iterator[Edit]:
    """A factor or a term left out."""
    neutral = NEUTRAL.get(node.name)
    operands = dict.fromkeys(node.operands)
    if neutral is None or len(node.arguments) < 2:
        return
    number, kind = neutral
    for place, name in enumerate(operands):
        if name not in graph.floats:
            continue
        compute = with_operand(node, name, lambda tensor: torch.full_like(tensor, number))
        yield Edit("op left out", f"no {kind} ({graph.words(name)})", ("neutral", place), {node.number: compute}, needs_of(node))


def reformed(graph: Graph, node: Node) -> Iterator[Edit]:
    """An operand with the other sign, squared, as its root, its logarithm ..."""
    for place, name in enumerate(dict.fromkeys(node.operands)):
        for kind, words, form in FORMS if name in graph.floats else ():
            detail = f"{words.format(graph.words(name))} in {node.name}"
            yield Edit(kind, detail, ("form", words, place), {node.number: with_operand(node, name, form)}, needs_of(node))


def averaged_ratios(graph: Graph, node: Node) -> Iterator[Edit]:
    """The mean of the ratios of each row in place of the ratio of two sums over all."""
    if node.name != "div" or node.shapes != ((),) or len(node.operands) != 2:
        return
    names = node.operands
    sums = [graph.nodes.get(name.number) if isinstance(name, Made) else None for name in names]
    above, below = sums
    if above is None or below is None or {above.name, below.name} != {"sum"}:
        return
    axes = min(len(graph.shapes[each.operands[0]]) for each in (above, below))
    for axis in range(axes if axes > 1 else 0):
        rest = tuple(other for other in range(axes) if other != axis)

        def compute(call: Call, rest: tuple[int, ...] = rest) -> Any:
            top, bottom = (value_of(each.operands[0], call).sum(rest) for each in (above, below))
            return (top / bottom).mean()

        needs = needs_of(above) | needs_of(below)
        yield Edit("averages", f"the mean of the ratios along axis {axis}", ("ratios", axis), {node.number: compute}, needs)
