"""A pair of real models with its truth, known by construction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["honest", "fault", "reduced", "informal"]


@dataclass(frozen=True)
class Sides:
    """What a check is given. inputs: a tuple, or a dict of keyword arguments."""

    actual: Callable[..., Any]
    expected: Callable[..., Any]
    inputs: Any
    declared: str | None = None
    gradients: bool = False


@dataclass(frozen=True)
class Pair:
    """Two implementations that should agree, and whether they do.

    Attributes:
        name: `architecture/what was done`. kind: "honest" is to be accepted, "fault" and "reduced" rejected; "informal" has no truth that all share.
        make: builds both sides; models, seeds and inputs are the same in every call.
        truth: the module that was changed; a locator is right that names it, a module inside it, or one of `also`.
        also: modules where the change can as well be said to be (a weight that another module reads, the other of two swapped ones).
        format: of reduced precision, the word that the verdict must have.
        note: what is to be known about it.
    """

    name: str
    kind: Kind
    architecture: str
    make: Callable[[], Sides]
    truth: str | None = None
    also: tuple[str, ...] = ()
    format: str = ""
    note: str = ""
    tags: tuple[str, ...] = field(default=())


PAIRS: dict[str, Pair] = {}


def add(pair: Pair) -> None:
    if pair.name in PAIRS:
        raise ValueError(f"Got two pairs named {pair.name}. Names tell results apart. Rename one.")
    PAIRS[pair.name] = pair
