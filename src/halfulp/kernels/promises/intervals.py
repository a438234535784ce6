"""Intervals: between which numbers a text says that those of an input lie, "ids in [0, V)", "0 through 255", "one of -1, 0 and 1"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..problems.calls import is_real
from .clauses import Clause
from .expressions import ATOM, EXPRESSION, NUMBER, Names, parsed, value_of
from .sentences import NAME

INTERVAL = re.compile(
    rf"(?:\b(?P<within>(?:with)?in)\b|\b(?:from|over|on|range|uniform|integers?|values?)\b)\s*(?:(?:the )?(?:(?:half-open|closed"
    rf"|open|inclusive|integer|whole) )?(?:range|interval)\s+)?"
    rf"[\[(]\s*(?P<low>{EXPRESSION})\s*,\s*(?P<high>{EXPRESSION})\s*(?P<end>[\])])"
    rf"|\b(?P<between>between|from)\s+(?P<least>{ATOM})(?:\s*\((?:in|ex)clusive\))?\s+(?:and|to|up to"
    rf"|through)\s+(?P<most>{EXPRESSION})(?:,?\s*\(?(?P<exclusive>exclusive)\b)?"
    rf"|\b(?:rows?|values?|ids?|numbers?|indices|labels?|classes|integers?|codes?"
    rf"|bins?)\s+(?P<start>{NUMBER})\s+to\s+(?P<stop>{EXPRESSION})"
    rf"|(?<![\w.])(?P<one>{NUMBER})(?:\s*,\s*{NUMBER}){{0,3}}\s*,\s*\.\.\.,?\s*(?P<up_to>{EXPRESSION})"
    rf"|(?<![\w.])(?P<first>{NUMBER})\s*(?:\.\.\.?|thr(?:ough|u)\b)\s*(?P<last>{EXPRESSION})"
)
"""Between which numbers those of an input lie: "values in [0, 9]", "ids between 0 and 3 inclusive"."""
LOWS, HIGHS = ("low", "least", "start", "one", "first"), ("high", "most", "stop", "up_to", "last")
"""The groups of its ends."""
VALUES = re.compile(
    rf"(?:\b(?:is|are|be|in|of|either|from|hold(?:s|ing)?|one of|values?|ids?)|:)\s*(?P<values>{NUMBER}(?:\s*,\s*{NUMBER})*\s*,?\s+(?:or"
    rf"|and)\s+{NUMBER})(?![\w.]*\d)"
    rf"|\{{(?P<listed>\s*{NUMBER}(?:\s*,\s*{NUMBER})+)\s*\}}"
)
"""All numbers that an input may hold: "whose elements are -1, 0 or 1"."""


ABSOLUTE = re.compile(
    rf"(?:\|(?P<name>{NAME})\||\babs\((?P<called>{NAME})\))\s*(?:<=|(?:is|are|must be|stays?)?\s*(?:at most|up to|no (?:larger"
    rf"|greater|more) than"
    rf"|bounded by))\s*(?P<of>\d+)(?![\w.]*\d)"
)
"""How large integers are at most, of either sign: "|shift| is at most 7"."""
NEITHER = re.compile(
    rf"\b(?:none|nothing|never|no (?:value|entry|element|id|index|code|label|number|one)s?)(?: of \w+)?(?: (?:is|are|lies?|falls?"
    rf"|ever|be|goes))*"
    rf" (?:below|less than|under|smaller than) (?P<least>{NUMBER}) (?:or|and|nor) (?:above|greater than|over|larger than|more than)"
    rf" (?P<most>{NUMBER})(?![\w.]*\d)"
)
"""A range by what lies outside of it: "none is below 0 or above 15"."""
BOTH_ENDS = re.compile(
    rf"(?:>=\s*|\bat least\s+|\b(?:not|never|no) (?:less|smaller) than\s+)(?P<least>{NUMBER})(?:\s*,|\s+(?:and|but)|\s*,\s*(?:and"
    rf"|but))\s+(?:is |are )?"
    rf"(?:(?P<below><(?!=)|(?:less|smaller) than|below)|<=|at most|no (?:more|larger|greater) than)\s*(?P<most>{NUMBER})(?![\w.]*\d)"
)
"""A range by two comparisons: "each is >= 0 and < 7"."""
RANDINT = re.compile(r"\brandint\(\s*(?:low=)?(?:(?P<low>-?\d+)\s*,\s*)?(?:high=)?(?P<high>\d+)\s*,\s*(?:\(|\[|size|\.\.\.|generator|n=)")
"""From where integers are drawn: "torch.randint(6, 11, ...)"."""


@dataclass(frozen=True)
class Range:
    """Between which numbers those of some inputs lie.

    Attributes:
        words: as the text says it. names: of the inputs. low, high: the numbers, as expressions. is_open: whether the second is too large.
        is_drawn: whether the text only says from where numbers are drawn.
    """

    words: str
    names: tuple[str, ...]
    low: ast.expr
    high: ast.expr
    is_open: bool = False
    is_drawn: bool = False

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The smallest and the largest integer, if the text gives numbers."""
        low, high = value_of(self.low, {}), value_of(self.high, {})
        is_whole = all(isinstance(side, (int, float)) and float(side).is_integer() for side in (low, high))
        return (int(low), int(high) - self.is_open) if is_whole else (None, None)

    def holds(self, tensor: torch.Tensor, names: Names) -> bool | None:
        """Whether all numbers of a tensor but NaN lie there; None if a name is unknown."""
        low, high = value_of(self.low, names), value_of(self.high, names)
        if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
            return None
        return lies_between(tensor, low, high - 1 if self.is_open and not is_real(tensor) else high)


def ranges_in(clauses: Sequence[Clause]) -> Iterator[Range]:
    """The ranges that clauses give to the inputs that they are about."""
    for clause in clauses:
        for match in INTERVAL.finditer(clause.words):
            if not is_promised(clause, match):
                continue
            sides = [next(filter(None, match.group(*names))) for names in (LOWS, HIGHS)]
            is_drawn = match["within"] is None and match["between"] != "between"
            low, high = map(parsed, sides)
            yield Range(match[0], clause.names, low, high, is_open=match["end"] == ")" or match["exclusive"] is not None, is_drawn=is_drawn)
        for match in VALUES.finditer(clause.words):
            if is_promised(clause, match):
                numbers = numbers_of(match)
                low, high = (parsed(f"{number:g}") for number in (min(numbers), max(numbers)))
                yield Range(match[0], clause.names, low, high)
        yield from _of_integers(clause)


def _of_integers(clause: Clause) -> Iterator[Range]:
    """Ranges of integers: by their magnitude, by what lies outside, or by the call that draws them."""
    for match in ABSOLUTE.finditer(clause.words):
        topic = re.compile(re.escape(match[0]))
        if clause.says(topic) and not clause.is_conditional(topic):
            yield Range(match[0], (match["name"] or match["called"],), parsed(f"-{match['of']}"), parsed(match["of"]))
    for match in NEITHER.finditer(clause.words):
        topic = re.compile(re.escape(match[0]))
        if not clause.has_own_subject and not clause.is_conditional(topic) and not clause.is_of_results(topic):
            yield Range(match[0], clause.names, parsed(match["least"]), parsed(match["most"]))
    for match in BOTH_ENDS.finditer(clause.words):
        if is_promised(clause, match):
            yield Range(match[0], clause.names, parsed(match["least"]), parsed(match["most"]), is_open=match["below"] is not None)
    for match in RANDINT.finditer(clause.words):
        if is_promised(clause, match):
            yield Range(match[0], clause.names, parsed(match["low"] or "0"), parsed(match["high"]), is_open=True, is_drawn=True)


OR_ELSE = re.compile(r"\W*(?:or|and|plus)\s+(?:-?\d|exactly|ignore\w*|the (?:value|id|index))|\W*(?:except|unless)\b", re.IGNORECASE)
"""What follows a range that some numbers need not keep to: "in [0, V) or -100"."""


ALL_THAT_COMES = re.compile(
    r"\s*(?:occurs?|appears?|comes?|(?:are|is) (?:used|passed|drawn|found|possible|allowed|valid|stored))\b", re.IGNORECASE
)
"""What follows numbers besides which there are no others: "only the values 0 through 255 occur"."""


def is_promised(clause: Clause, match: re.Match[str]) -> bool:
    """Whether a clause says it of every number of the inputs that it is about."""
    topic = re.compile(re.escape(match[0]))
    is_of_some = (
        re.search(
            r"(?<!holds )(?<!contains )(?<!has )(?<!have )(?<!hold )\bonly (?:the )?(?:\w+ )?$|\bor (?:else )?(?:(?:is|are|lies?) )?$",
            clause.words[: match.start()],
            re.IGNORECASE,
        )
        is not None
    )
    is_of_some &= ALL_THAT_COMES.match(clause.words[match.end() :]) is None
    if is_of_some or OR_ELSE.match(f"{clause.words[match.end() :]} {clause.after}"):
        return False
    return clause.says(topic) and not clause.has_own_subject and not clause.is_conditional(topic) and not clause.is_of_results(topic)


def numbers_of(match: re.Match[str]) -> list[float]:
    """The numbers in a list."""
    return [float(word.replace("_", "")) for word in re.findall(NUMBER, match["values"] or match["listed"])]


def lies_between(value: Any, low: float, high: float) -> bool:
    """Whether a number, or all of a tensor but NaN, lies between two numbers."""
    if not isinstance(value, torch.Tensor):
        return low <= value <= high
    return not bool(((value < low) | (value > high)).any())
