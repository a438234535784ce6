"""Stored: a result in the place of a function, where only the numbers are at hand (of another machine, of a device that is not here).

It can be compared and judged by what rounding does to the other side. It can't be run again: not in another precision, not on other inputs,
not a second time. Every question that needs that is not asked, and the answer says so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ..differences import Leaf, leaves_of
from ..errors import InputError, RunError
from ..floats import FORMATS, is_representable
from ..words.numbers import with_article
from .run import Run

_COUNTED = re.compile(r"^\[?'?(?:arr_|output\.|output\[)?(\d+)\]?'?\]?$")
"""How several results are called that had no names: by numpy.savez ("arr_0"), by a trace ("output[0]"), by a list ("[0]")."""


class Stored:
    """A result that was computed elsewhere.

    Args:
        values: tensors, arrays or numbers, alone or in containers, as a function would have returned them.
        source: where they come from, for messages ("result.npy").
        device: where they were computed, "" where that is not known.

    Attributes:
        leaves: its tensors with their paths, on the processor.

    Raises:
        InputError: there are no numbers in it.
    """

    def __init__(self, values: Any, source: str = "", *, device: str = "") -> None:
        self.source = source or f"{with_article(type(values).__name__)}"
        self.__name__ = Path(source).name if source else "stored result"
        found = tuple(leaf.owned() for leaf in leaves_of(values))
        if not found:
            raise InputError(
                f"Got {self.source} without a tensor. Needed: the tensors that were computed. Nothing else can be compared. Pass those, "
                "or save them to the file."
            )
        self.leaves = tuple(dataclasses.replace(leaf, device=device) for leaf in found) if device else found

    def __repr__(self) -> str:
        return f"<stored result, {self.source}>"

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """It can't be run.

        Raises:
            RunError: always.
        """
        raise RunError(f"{self.source} is a stored result: it can't be run again")

    def matched(self, peer: Run) -> Run:
        """The run that gave it, with its tensors under the paths of the other side's.

        A file has one name where a function returns one tensor, and numbers ("arr_0") where it returns several; bfloat16 and the 8-bit
        formats, which NumPy's files lack, come back from what they were stored in where every number is one of the format.

        Args:
            peer: the run of the other side.
        """
        leaves = list(self.leaves)
        if len(leaves) == len(peer.outputs) == 1:
            leaves = [_renamed(leaves[0], peer.outputs[0].path)]
        elif len(leaves) == len(peer.outputs) and not {leaf.path for leaf in leaves} & peer.by_path.keys():
            numbers = [_COUNTED.match(leaf.path.removeprefix("['").removesuffix("']")) for leaf in leaves]
            if all(numbers) and sorted(int(found[1]) for found in numbers if found) == list(range(len(leaves))):
                leaves = [_renamed(leaf, peer.outputs[int(found[1])].path) for leaf, found in zip(leaves, numbers) if found]
        known = peer.by_path
        outputs = tuple(_narrowed(leaf, known[leaf.path]) if leaf.path in known else leaf for leaf in leaves)
        return Run(outputs, {}, {}, (), (), seconds=0.0)


def _renamed(leaf: Leaf, path: str) -> Leaf:
    return dataclasses.replace(leaf, path=path)


def _narrowed(leaf: Leaf, peer: Leaf) -> Leaf:
    """In the peer's format, where that is one that NumPy's files lack and it holds every number."""
    if not peer.holds_bits or leaf.format is None or leaf.holds_bits or peer.format is None or leaf.format == peer.format:
        return leaf
    numbers = leaf.numbers()
    usable = numbers[np.isfinite(numbers)]
    if leaf.format.precision_bits <= peer.format.precision_bits or not bool(is_representable(usable, FORMATS[peer.format.name]).all()):
        return leaf
    import torch

    again = torch.from_numpy(np.ascontiguousarray(numbers)).to(getattr(torch, peer.dtype))
    return dataclasses.replace(leaves_of(again)[0].owned(leaf.path), device=leaf.device)


def as_side(value: Any, name: str) -> Callable[..., Any]:
    """A side as something callable: a function as it is, a result as a `Stored`.

    Args:
        name: "actual" or "expected".

    Raises:
        InputError: neither a function nor numbers.
    """
    if callable(value):
        return value
    if value is None or isinstance(value, (str, bytes, Path)) or not _has_numbers(value):
        raise InputError(
            f"Got {name}={type(value).__name__}. Needed: a function or an nn.Module; or, for one of the two sides, the tensors that a "
            f"function returned. Nothing else can be run or compared. Pass the callable itself as {name}."
        )
    return Stored(value)


def _has_numbers(value: Any) -> bool:
    try:
        return bool(leaves_of(value))
    except InputError:
        return False


def require_runnable(asked: str, sides: Mapping[str, Any]) -> None:
    """Refuse results where functions are needed.

    Args:
        asked: what needs them ("explain"), with what for. sides: by name.

    Raises:
        InputError: one of them is not a function.
    """
    for name, side in sides.items():
        if isinstance(side, Stored) or not callable(side):
            what = side.source if isinstance(side, Stored) else type(side).__name__
            raise InputError(
                f"Got {name}={what}. Needed: a function or an nn.Module. {asked}, and a stored result can't be run. "
                "`halfulp check` judges a stored result against a function; `halfulp compare` compares two stored results."
            )
