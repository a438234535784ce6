"""Page: what a page says, before it is HTML. Everything in it is text or numbers; markup is made in `assembling` alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..charts.style import Columns, Sketch


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: in the dataset. label: its heading. is_number: sorted and aligned as numbers. is_code: set as code. is_whole: numbers
            with all digits that they have, to see a difference.
    """

    key: str
    label: str
    is_number: bool = False
    is_code: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class Table:
    """Rows that can be sorted and filtered.

    Attributes:
        name: of the dataset. caption: what the rows are. columns: which are shown. marked: rows that stand out.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    marked: tuple[int, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A chart.

    Attributes:
        name: identity on the page. draw: makes the chart. title, caption: above and below it.
    """

    name: str
    draw: Callable[[], Sketch]
    title: str
    caption: str


@dataclass(frozen=True)
class Words:
    """Paragraphs; with `is_list` the items of a list."""

    lines: tuple[str, ...]
    is_list: bool = False


@dataclass(frozen=True)
class Code:
    """Source or output that is copied with a button.

    Attributes:
        title: what it is. text: verbatim.
    """

    title: str
    text: str


@dataclass(frozen=True)
class Pairs:
    """Names and values.

    Attributes:
        caption: what they are. items: (name, value).
    """

    caption: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Branch:
    """A part of a tree that folds.

    Attributes:
        label: its name. note: beside it. bar: 0 to 1, how far it is on the way to the limit; None without. tone: see `Page`.
        is_open: whether it is unfolded at first. branches: below it.
    """

    label: str
    note: str = ""
    bar: float | None = None
    tone: str = ""
    is_open: bool = False
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True)
class Tree:
    """A tree that folds.

    Attributes:
        caption: what it shows. branches: at the top.
    """

    caption: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Picture:
    """A drawing of our own.

    Attributes:
        title, caption: above and below it. svg: markup that halfulp made, of numbers alone.
    """

    title: str
    caption: str
    svg: str


Part = Table | Figure | Words | Code | Pairs | Tree | Picture


@dataclass(frozen=True)
class Section:
    """A heading with its parts.

    Attributes:
        name: for links. title: the heading. parts: in order. is_open: False folds it at first.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    is_open: bool = True


@dataclass(frozen=True)
class Number:
    """One of the numbers that carry the answer.

    Attributes:
        value: with its unit. label: what it is. note: what it is compared with.
    """

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        kind: of the result. question: what it answers. headline: the answer in a few words. tone: "good", "bad", "unsure" or "plain".
        sentence: the answer in a sentence. numbers: up to three that carry it. steps: what to do. sections: the rest.
        datasets: by name. made_by: the command that makes it, and versions.
    """

    kind: str
    question: str
    headline: str
    tone: str
    sentence: str
    numbers: tuple[Number, ...]
    steps: tuple[str, ...]
    sections: tuple[Section, ...]
    datasets: dict[str, Columns] = field(default_factory=dict)
    made_by: str = ""


def tone_of(acceptable: bool | None) -> str:
    """The tone of an answer."""
    return {True: "good", False: "bad", None: "unsure"}[acceptable]
