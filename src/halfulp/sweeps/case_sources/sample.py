"""Group and Sample: what a source of cases offers, and what of it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol


@dataclass(frozen=True)
class Group:
    """Cases that share what is under test. One process takes them one after the other.

    Attributes:
        source: what kind of source it comes from. part: its place among the plan's sources.
        subject: what is under test: an op, a function, a file. actual, expected: what the two sides are called.
        dtype: of the inputs. environment: the name of the variables that its process gets; "" for none.
    """

    source: str
    part: int
    subject: str
    actual: str
    expected: str
    dtype: str = ""
    environment: str = ""

    @property
    def key(self) -> str:
        """What tells the group from all others of its plan; the same in every run."""
        return "|".join((self.source, self.subject, self.actual, self.expected, self.dtype, self.environment))


Form = Literal["", "float64", "numpy", "numpy float64"]


class Call(NamedTuple):
    """How the two calls of a case read in Python.

    Attributes:
        actual, expected: the functions ("torch.compile(torch.add)"). `expected` is "" where a program can't call it, and its results are written out.
        given, taken: what `expected` and `actual` get in place of the arguments: them in "float64", as arrays of "numpy", as arrays in
            "numpy float64", or "" as they are.
    """

    actual: str
    expected: str
    given: Form = ""
    taken: Form = ""


@dataclass(frozen=True, eq=False)
class Sample:
    """One case of a group.

    Attributes:
        setting: what tells it from the others of the group. actual, expected, inputs: as for `check`.
        options: of `check`: declared, reference, keywords, gradients. call: how the two calls read in Python, for a program; None where unknown.
        judged: what judges the case in place of `check`, and gives something with `verdict` and `because`; None for `check`.
    """

    setting: str
    actual: Any
    expected: Any
    inputs: Any
    options: dict[str, Any] = field(default_factory=dict)
    call: Call | None = None
    judged: Callable[[], Any] | None = None


class Source(Protocol):
    """A kind of case. It is made from its table in the plan, in each process that needs it.

    Attributes:
        is_seeded: whether a flagged case is worth a check with another seed: its inputs depend on it, and nobody else has tried another.
    """

    is_seeded: ClassVar[bool]

    def paths(self) -> list[Path]:
        """The files that its cases are read from."""
        ...

    def groups(self) -> Iterator[Group]:
        """What there is to check; quick."""
        ...

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """What makes each case of a group, always in the same order; another seed gives other numbers.

        Raises:
            HalfulpError: the group can't be made here.
        """
        ...
