"""Hypothesis: a known cause of differences, as data: what it looks like, the experiment that tells, the remedy, who met it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..calls import Call, Replacement
from ..flow import Flow

FORMULA, ARITHMETIC, MEMORY, SETTING = "formula", "arithmetic", "memory", "setting"
"""What a cause is: another function; the same function in other arithmetic; a use of memory; a setting of the framework."""


@dataclass(frozen=True)
class Variation:
    """One way to compute a call differently.

    Attributes:
        detail: what it is, in words that follow "with": "eps = 1e-06 instead of 1e-05".
        compute: the call's result when computed so.
        group: variations of different calls that belong together are tried together under one name; "" for those of one call alone.
        remedy: what to do, where it is not what the hypothesis says.
    """

    detail: str
    compute: Replacement
    group: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Fit:
    """A constant that may have any value: the value that makes the difference vanish is searched.

    Attributes:
        name: of the constant. low, high: its range. present: its value now. vary: the variation for a value.
        logarithmic: whether the search is uniform in the logarithm.
    """

    name: str
    low: float
    high: float
    present: float
    vary: Callable[[float], Variation]
    logarithmic: bool = False


@dataclass(frozen=True)
class Site:
    """Where a change is made, for causes whose name depends on it.

    Attributes:
        side: "actual" or "expected", the side that is changed. numbers: of the calls. flow: of that side. other: of the other side.
        detail: of the variation.
    """

    side: str
    numbers: tuple[int, ...]
    flow: Flow
    other: Flow
    detail: str

    @property
    def number(self) -> int:
        """The first of the calls."""
        return self.numbers[0]


@dataclass(frozen=True)
class Hypothesis:
    """A known cause.

    Attributes:
        name: what it is called.
        kind: FORMULA, ARITHMETIC, MEMORY or SETTING.
        looks_like: how it shows itself.
        experiment: what is changed to tell.
        remedy: what to do; a line of code where there is one.
        reports: numbers of user reports that it explained; see `REPORTS` in `catalog.py`.
        calls: names of the calls that it concerns, empty for all.
        vary: the variations of such a call.
        fit: constants of such a call that are searched.
        together: also tried at all calls at once (a wrong constant often is wrong everywhere).
        alone: also tried at single calls.
        errs: the variation itself loses digits: it counts as found when it errs as `actual` does, not when nothing is left.
        naming: the name, where it depends on what is around a call and on which side is changed; "" for no cause at all.
        first_only: never one of several causes: enough of its kind would explain anything.
    """

    name: str
    kind: str
    looks_like: str
    experiment: str
    remedy: str
    reports: tuple[str, ...] = ()
    calls: frozenset[str] = frozenset()
    vary: Callable[[Call], Iterable[Variation]] = lambda _: ()
    fit: Callable[[Call], Iterable[Fit]] = lambda _: ()
    together: bool = True
    alone: bool = True
    errs: bool = False
    naming: Callable[[Site], str] | None = None
    first_only: bool = False

    def concerns(self, call: Call) -> bool:
        """Whether it says anything about a call."""
        return not self.calls or call.name in self.calls


@dataclass(frozen=True)
class Around:
    """A variation of a whole function.

    Attributes:
        name, kind, detail, remedy: as those of a hypothesis and its variation.
        wrap: gives the changed function.
        reports: user reports that it explained. renumbers: whether the changed function makes other calls, so that those of the plain one are
            not found in it by number.
    """

    name: str
    kind: str
    detail: str
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    remedy: str
    reports: tuple[str, ...] = ()
    renumbers: bool = False


def among(names: str) -> frozenset[str]:
    """A set of names written in one string."""
    return frozenset(names.split())


def constants(values: Sequence[float], present: float) -> list[float]:
    """Other usual values of a constant."""
    return [value for value in values if value != present]


def changed(detail: str, **arguments: Any) -> Variation:
    """The same call with other arguments."""
    return Variation(detail, lambda call: call.again(**arguments))
