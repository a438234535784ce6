"""The three lists of pairs and the decorators that enter them.

Notes that begin with "rounding only" mark pairs in SINGLE that `check` rightly accepts: the answer is the setting, algorithm or order
of casts that makes the difference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Pair:
    """Two implementations whose difference has known causes.

    Attributes:
        id: name of the function that makes it. make: `make(seed)` gives (actual, expected, inputs), from the seed only.
        causes: one entry for each true cause: the names that count as right. For honest pairs: names that an explanation may give
            without being wrong (other algorithms and settings that only round differently); empty where it has to give none.
        report: row `n` of reports_by_users.csv that it is modelled on. declared, gradients: for `explain`.
        note: what was done. For doubles, `make(seed, first=False)` and `make(seed, second=False)` leave one cause out.
    """

    id: str
    make: Callable[..., tuple[Any, Any, Any]]
    causes: tuple[frozenset[str], ...]
    report: int | None
    declared: str | None
    gradients: bool
    note: str


@dataclass(frozen=True)
class Fresh:
    """A pair as its author wrote it, without sight of halfulp: see `fresh.py`.

    Attributes:
        id: a name. group: the field. cause: what was planted, "" for honest pairs. kind: "usual" (a mistake that porters often make),
        "unusual" (one that no catalog would list), "double" (two of them) or "honest". scalar: whether the result is one number.
        gradients: for `explain`. words: some that a right answer may contain; for each of two mistakes some. make: gives (actual, expected, inputs) from a seed.
    """

    id: str
    group: str
    cause: str
    kind: str
    scalar: bool
    gradients: bool
    words: tuple[Any, ...]
    make: Callable[[int], tuple[Any, ...]]


Make = Callable[[int], tuple[Any, ...]]


def entering(where: list[Fresh]) -> Callable[..., Callable[[Make], Make]]:
    """The decorator that enters a function into a list as a pair; its arguments are fields of `Fresh`."""

    def pair(
        id: str,
        group: str,
        cause: str = "",
        kind: str = "usual",
        words: Iterable[Any] = (),
        *,
        scalar: bool = False,
        gradients: bool = False,
    ) -> Callable[[Make], Make]:
        def register(make: Make) -> Make:
            where.append(Fresh(id, group, cause, kind, scalar, gradients, tuple(words), make))
            return make

        return register

    return pair


SINGLE: list[Pair] = []
DOUBLE: list[Pair] = []
HONEST: list[Pair] = []
Build = Callable[..., tuple[Any, Any, Any]]


def _enter(
    where: list[Pair], causes: Iterable[Iterable[str]], report: int | None, declared: str | None, gradients: bool, note: str
) -> Callable[[Build], Build]:
    def register(build: Build) -> Build:
        @functools.wraps(build)
        def make(seed: int = 0, **which: bool) -> tuple[Any, Any, Any]:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                return build(seed, **which)

        where.append(Pair(build.__name__, make, tuple(frozenset(names) for names in causes), report, declared, gradients, note))
        return build

    return register


def single(
    *names: str, report: int | None = None, declared: str | None = None, gradients: bool = False, note: str = ""
) -> Callable[[Build], Build]:
    """Enter a pair with one cause; each of `names` counts as right."""
    return _enter(SINGLE, [names], report, declared, gradients, note)


def double(
    first: str | tuple[str, ...], second: str | tuple[str, ...], *, report: int | None = None, declared: str | None = None,
    gradients: bool = False, note: str = "",
) -> Callable[[Build], Build]:  # fmt: skip
    """Enter a pair with two causes; a tuple holds the names that count as right for one of them."""
    causes = [(names,) if isinstance(names, str) else names for names in (first, second)]
    return _enter(DOUBLE, causes, report, declared, gradients, note)


def honest(
    *names: str, report: int | None = None, declared: str | None = None, gradients: bool = False, note: str = ""
) -> Callable[[Build], Build]:
    """Enter a pair that differs by rounding or not at all; each of `names` may be given as the reason."""
    return _enter(HONEST, [names] if names else [], report, declared, gradients, note)
