"""Program: a target as one backend has built it for inputs of certain shapes and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..recording.transcript import Transcribed

Tensors = list[torch.Tensor]


class Results(list[torch.Tensor]):
    """Results of one run with their own nesting.

    Args:
        tensors: the results. nesting: see `Program.structure`.
    """

    def __init__(self, tensors: Iterable[torch.Tensor], nesting: Any) -> None:
        super().__init__(tensors)
        self.nesting = nesting


@dataclass(frozen=True, eq=False)
class Watched:
    """A run that was looked into.

    Attributes:
        values: what was computed on the way, in order. outputs: what was returned.
        weights: the numbers that the program holds, by the names of the module that it was made from, as far as they are known.
        notes: what could not be seen. in_other_layouts: see `transcribe`.
    """

    values: list[Transcribed]
    outputs: Tensors
    weights: Mapping[str, torch.Tensor] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    in_other_layouts: bool = False


@dataclass(frozen=True, eq=False)
class Program:
    """What an adapter builds.

    Attributes:
        run: the arrays among the inputs, in order, as tensors on the CPU -> the results.
        structure: how the results are nested (a pytree's TreeSpec); None for one result, or a tuple of several, or where `run` gives
            `Results`, whose nesting depends on the numbers.
        watch: runs it and looks into it; None where the backend shows nothing of its inside.
        remarks: what the backend did otherwise than asked, in words: "left to portable kernels: native_layer_norm".
    """

    run: Callable[[Tensors], Tensors]
    structure: Any = None
    watch: Callable[[Tensors], Watched] | None = None
    remarks: tuple[str, ...] = ()

    def nesting(self, results: Tensors) -> Any:
        """How the results of a run are nested; None for one, or a tuple of several."""
        return results.nesting if isinstance(results, Results) else self.structure

    def nested(self, results: Tensors, values: list[Any]) -> Any:
        """What stands for the results of a run, as the target returns it."""
        nesting = self.nesting(results)
        if nesting is not None:
            return tree_unflatten(values, nesting)
        return values[0] if len(values) == 1 else tuple(values)


def of_arrays(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Callable[..., Any]:
    """The function as one of its arrays alone, in order; whatever else it is given stays as it is here."""
    leaves, structure = tree_flatten((arguments, dict(keywords)))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    constants = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def call(*arrays: Any) -> Any:
        filled = list(constants)
        for place, array in zip(places, arrays):
            filled[place] = array
        given, words = structure.unflatten(filled)
        return function(*given, **words)

    return call


def of_function(call: Callable[..., Any], native: Callable[[torch.Tensor], Any], back: Callable[[Any], torch.Tensor]) -> Program:
    """A function of a framework's arrays as a program. It is given copies, since it may write into them.

    Args:
        call: takes the arrays in order. native, back: convert a tensor to such an array and back.
    """

    def run(tensors: Tensors) -> Tensors:
        results, nesting = tree_flatten(call(*(native(tensor.clone()) for tensor in tensors)))
        return Results(map(back, results), nesting)

    return Program(run)
