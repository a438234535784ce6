"""Part: what one word of the command line stands for, by itself."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ..cases import load_case_file
from ..cases.troubles import trouble_with
from ..errors import InputError
from ..words.numbers import with_article
from .binding import fits
from .drawn_inputs import SIZE, Inputs
from .expressions import free_names, function_of, parsed
from .kinds import Kind, kind_of
from .models import drawing_of_model
from .names import Built, called_inputs, inputs_beside, load_name, taken_apart
from .onnx_files import OnnxFile, read_onnx
from .results import Result, result_of_file, result_of_trace

SIDES = ("actual", "expected")


@dataclass(frozen=True)
class Part:
    """What one word stands for.

    Attributes:
        functions: by side; under "actual" where there is only one. expression: the text, "" for anything else.
        result, onnx: where it is one. inputs: made from a seed and a size, None where it says nothing of them. signature: of what makes them.
        guessed: whether they follow from a module's layers alone. options: of a check. source: the text of its file.
    """

    word: str
    kind: Kind
    functions: Mapping[str, Any] = field(default_factory=dict)
    expression: str = ""
    result: Result | None = None
    onnx: OnnxFile | None = None
    inputs: Callable[[int, int | None], Any] | None = None
    signature: inspect.Signature | None = None
    guessed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class Expression:
    """An expression, before the names of its inputs are known."""

    text: str


def part_of(word: str, inputs: Sequence[str], seed: int, size: int | None) -> Part:
    """What a word stands for.

    Args:
        word: as it was typed. inputs: the names that -i gives. seed, size: for what is built and drawn.
    """
    kind = kind_of(word, inputs)
    if kind is Kind.CASE_FILE:
        loaded = load_case_file(word, seed, size=size)
        options = {name: loaded[name] for name in ("declared", "reference", "gradients", "keywords") if name in loaded}
        make = loaded["names"]["inputs"]
        return Part(
            word, kind, {name: loaded[name] for name in SIDES}, inputs=lambda seed, size: called_inputs(make, seed, size),
            signature=inspect.signature(make), options=options, source=loaded["source"],
        )  # fmt: skip
    if kind is Kind.NAME:
        return _named(word, seed)
    if kind is Kind.EXPRESSION:
        is_name = isinstance(parsed(word).body, (ast.Name, ast.Attribute)) and not free_names(parsed(word))
        return Part(word, kind, {"actual": function_of(word, (), word) if is_name else Expression(word)}, expression=word)
    if kind is Kind.ONNX:
        model = read_onnx(Path(word))
        return Part(word, kind, {"actual": model.module}, onnx=model, inputs=lambda seed, size: model.drawing.draw(seed, size or SIZE))
    result = result_of_trace(Path(word)) if kind is Kind.TRACE else result_of_file(Path(word))
    return Part(word, kind, {"actual": result.stored}, result=result)


def _named(word: str, seed: int) -> Part:
    named = load_name(word, seed)
    built = taken_apart(named.value)
    if built is None:
        raise InputError(
            f"Got {word}, which is {with_article(type(named.value).__name__)}. Needed: a function, an nn.Module, or a builder (a function that takes no argument and returns one or two of these, or a halfulp.Case). The function or module is run on the inputs. Name another, or save the numbers to a file and give that."
        )
    for function in built.functions.values():
        if trouble := trouble_with(function, word):
            raise InputError(trouble)
    make, signature = _made_by(built, named)
    guessed = built.inputs is None and signature is None
    return Part(
        word, Kind.NAME, built.functions, inputs=make, signature=signature, guessed=guessed, options=built.options, source=named.source
    )


def _made_by(built: Built, named: Any) -> tuple[Callable[[int, int | None], Any] | None, inspect.Signature | None]:
    """How inputs are made: as the builder says, as `inputs(seed)` beside it says, or as the module says of itself."""
    own = built.inputs
    if callable(own) and not isinstance(own, torch.Tensor):
        return lambda seed, size: called_inputs(own, seed, size), inspect.signature(own)
    if own is not None:
        return lambda *_: own, None
    first = next(iter(built.functions.values()))
    drawing = drawing_of_model(first)
    if callable(named.names.get("inputs")) and (drawing is None or fits(first, len(as_inputs(inputs_beside(named, 0, None)).values))):
        return lambda seed, size: inputs_beside(named, seed, size), inspect.signature(named.names["inputs"])
    return (None, None) if drawing is None else (lambda seed, size: drawing.draw(seed, size or SIZE), None)


def as_inputs(made: Any) -> Inputs:
    """What a function of inputs gave: a mapping names them, a tuple or list holds several, anything else is the only one."""
    if isinstance(made, Inputs):
        return made
    if isinstance(made, Mapping) and made and all(isinstance(name, str) for name in made):
        return Inputs(tuple(made.values()), tuple(made))
    return Inputs(tuple(made)) if isinstance(made, (tuple, list)) else Inputs((made,))
