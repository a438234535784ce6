"""What words stand for together: two sides, and what follows of a check."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..cases.inputs import cast, copied
from ..differences import Leaf, leaves_of
from ..errors import InputError
from .engines import Twin, engine
from .kinds import Kind
from .names import Built, require_one_function
from .onnx_files import OnnxFile
from .parts import SIDES, Expression, Part

ENGINE = "onnxruntime"
"""What an ONNX model is run on where no engine is named."""


@dataclass(frozen=True)
class Placed:
    """An expression on an engine, once its inputs are known."""

    expression: Expression
    engines: tuple[str, ...]
    place: int = 0

    def on(self, place: int) -> Placed:
        """The same on another of the engines."""
        return Placed(self.expression, self.engines, place)


def sides_of(parts: list[Part], engines: list[str], *, one_side: bool) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """(the two sides, options that follow, notes)."""
    if not parts:
        raise InputError(
            "Got nothing to run. Needed: a case file, FILE.py:name, an expression, an ONNX model or a stored result. For example: "
            'halfulp check "x @ W.T + b" "F.linear(x, W, b)" -i "x=randn(32, 2048), W=randn(512, 2048), b=randn(512)".'
        )
    if len(parts) == 1:
        return _of_one(parts[0], engines, one_side=one_side)
    if engines:
        raise InputError(
            f"Got --backends {','.join(engines)} with two arguments. Needed: one argument, which is run on the backends. Two arguments are already two sides. Leave one argument out."
        )
    if all(part.result is not None for part in parts):
        raise InputError(
            f"Got two results, {parts[0].word} and {parts[1].word}. Needed: a function for at least one side. Two results alone can't show whether a difference is rounding: that depends on the function. {_instead(parts)}"
        )
    chosen: dict[str, Any] = {}
    for side, part in zip(SIDES, parts):
        whole = part.kind is Kind.CASE_FILE
        chosen[side] = part.functions[side] if whole else require_one_function(Built(part.functions), part.word)
    notes = tuple(f"{part.word}: {part.onnx.note}" for part in parts if part.onnx is not None and part.onnx.note)
    onnx = [part for part in parts if part.onnx is not None]
    if len(onnx) == 1:  # the model beside what it was made from: run by an engine, as users run it
        side = SIDES[parts.index(onnx[0])]
        if side == "actual":
            chosen[side] = engine(ENGINE, onnx[0].word)
            notes = (*notes, f"{onnx[0].word} is run by {ENGINE}")
    return chosen, {}, notes


def _instead(parts: list[Part]) -> str:
    left, right = (part.word for part in parts)
    if all(part.kind is Kind.TRACE for part in parts):
        return f"halfulp locate {left} {right} compares two recorded runs op by op."
    judged = "To have them judged, pass the function that computed one of the results (FILE.py:name) in its place."
    if any(part.kind is Kind.TRACE for part in parts):
        return judged
    return f"halfulp compare {left} {right} gives the numbers. {judged}"


def _of_one(part: Part, engines: list[str], *, one_side: bool) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    if part.result is not None:
        raise InputError(
            f"Got a stored result alone, {part.word}. Needed: a second argument that says what it should be. A function shows how far rounding moves the result. Add one: "
            f"halfulp check {part.word} FILE.py:expected."
        )
    both = {name: part.functions.get(name) for name in SIDES}
    if part.onnx is not None:
        return _of_onnx(part.onnx, engines or ([] if one_side else [ENGINE]))
    if not engines:
        if both["expected"] is None and not one_side:
            what = "An expression" if part.expression else "A function"
            raise InputError(
                f"Got one side, {part.word}. Needed: two. {what} is compared with another one. Add a second argument, or --backends NAME to compare it with what that backend computes."
            )
        return {name: _first(both[name], both["actual"], both["expected"]) for name in SIDES}, {}, ()
    target = _first(both["expected"], both["actual"])
    _at_most_two(engines)
    if isinstance(target, Expression):
        target = Placed(target, tuple(engines))
        return {"actual": target, "expected": target.on(1) if len(engines) == 2 else target.expression}, {}, ()
    found = {"actual": engine(engines[0], target), "expected": target if len(engines) == 1 else engine(engines[1], target)}
    return found, {}, ()


def _first(*functions: Any) -> Any:
    """The first that is there. A module may have a length, or refuse to say it: it is not asked whether it is true."""
    return next((function for function in functions if function is not None), None)


def _of_onnx(model: OnnxFile, engines: list[str]) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """The engine beside the graph; of two engines, the second is run as it is and looked into through the graph."""
    _at_most_two(engines)
    notes = (model.note,) if model.note else ()
    if not engines:
        return {"actual": model.module, "expected": model.module}, {}, notes
    runs = [engine(name, str(model.path)) for name in engines]
    if len(runs) == 1:
        return (
            {"actual": runs[0], "expected": model.module},
            {},
            (
                *notes,
                f"{engines[0]} is compared with the graph as written{', run by PyTorch' if isinstance(model.module, torch.nn.Module) else ''}",
            ),
        )
    if isinstance(model.module, torch.nn.Module):
        return {"actual": runs[0], "expected": Twin(runs[1], model.module)}, {}, notes
    return {"actual": runs[0], "expected": runs[1]}, {}, notes


def closer_second(sides: dict[str, Any], values: tuple[Any, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Of two engines the one that is closer to the graph in float64 as what is expected: an engine that errs must not excuse the other."""
    run, twin = sides["actual"], sides["expected"]
    exact = leaves_of(
        copy.deepcopy(twin.model).double()(*cast(copied(values), frozenset([torch.float32, torch.float16, torch.bfloat16]), torch.float64))
    )
    errors = [_distance(leaves_of(side(*copied(values))), exact) for side in (run, twin.run)]
    if errors[1] <= FURTHER * errors[0]:
        return sides, ()
    note = f"{twin.run.__name__} is farther from the graph's float64 result than {run.__name__} is, so it is judged as `actual`"
    return {"actual": twin.run, "expected": Twin(run, twin.model)}, (note,)


FURTHER = 2.0
"""Engines whose errors are less than a factor apart are left in the order in which they were named."""


def _distance(leaves: list[Leaf], exact: list[Leaf]) -> float:
    pairs = [(leaf.float64(), other.float64()) for leaf, other in zip(leaves, exact) if leaf.shape == other.shape]
    return sum(float(np.sum(np.square(one - other))) for one, other in pairs) ** 0.5


def _at_most_two(engines: list[str]) -> None:
    if len(engines) > 2:
        raise InputError(
            f"Got {len(engines)} backends. Needed: one or two. A check has two sides. `halfulp matrix` compares ops on many. Run this check for each pair."
        )
