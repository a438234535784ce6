"""Statements: sentences in a problem's text that compare named things ("0 <= fmin < fmax", "dim even", "finite"), turned into tests."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..problems.calls import is_real
from .clauses import Clause, is_denied_before, is_hedged
from .expressions import ATOM, EXPRESSION, NUMBER, OPERATOR, SIGNS, Names, looked_up, parsed, value_of
from .grammar import CONDITION
from .intervals import Range, is_promised, lies_between, numbers_of, ranges_in
from .sentences import NAME

Test = Callable[[Names], "bool | None"]
Reader = Callable[[re.Match[str], str], Test]
"""What makes a test of a match, and the name that it is about."""

CHAIN = re.compile(rf"(?P<others>(?:{NAME}(?:\s*,\s*|\s+and\s+))*)(?P<chain>{EXPRESSION}(?:\s*(?:<=|>=|==|<|>)\s*{EXPRESSION})+)")
IS = (
    r"(?:(?:is|are|be|must be|has to be|have to be|should be|needs? to be|will be|being|(?:is|are) (?:guaranteed|assumed|known"
    r"|required) to be)\s+)?"
    r"(?:(?:always|also|both|all|each)\s+)?"
)
OTHERS = rf"(?P<others>(?:{NAME}(?:\s*,\s*(?:and\s+)?|\s+and\s+))*)"
"""The names before the last one of a list: "M and N are multiples of 16"."""
PARITY = re.compile(
    rf"{OTHERS}(?P<name>{NAME})\s+(?:{IS}|(?:\w+\s+)?\()(?:an?\s+)?(?P<which>even|odd)\b|\b(?P<which_before>even"
    rf"|odd)\s+(?P<name_after>{NAME})"
)
MULTIPLE = re.compile(
    rf"{OTHERS}(?P<name>{NAME})(?:,[^,;.]*,)?\s+(?:always\s+)?{IS}(?:holds?\s+)?(?:(?:a|an integer|always a)\s+)?"
    rf"(?:multiple of|multiples of|divisible by)\s+(?P<of>{ATOM}(?:\s*/\s*{ATOM})?)"
)
DIVIDES = re.compile(rf"(?P<name>{NAME})\s+(?:that\s+|which\s+)?(?:must\s+)?(?:evenly\s+)?divides?\s+(?P<of>{ATOM})")
POWER = re.compile(rf"{OTHERS}(?P<name>{NAME})\s+{IS}(?:an?\s+)?powers? of (?:two|2)\b")
MOST = r"at most|up to|(?:no|not) (?:larger|greater|bigger|more|longer) than|(?:never|not|cannot|can't|doesn't) exceeds?|bounded by"
LEAST = r"at least|(?:no|not|never) (?:smaller|less|fewer|shorter) than"
BELOW = r"(?:strictly )?(?:smaller|less|fewer) than"
ABOVE = r"(?:strictly )?(?:larger|greater|more|bigger) than"
LIMIT = re.compile(
    rf"{OTHERS}(?P<name>{NAME})\s+(?:(?:does|do|must|may|can|will|should)\s+)?{IS}(?:of\s+)?"
    rf"(?P<which>{MOST}|{LEAST}|{BELOW}|{ABOVE})\s+(?P<of>{ATOM})(?!\s*(?:times|%|percent|x\b))"
)
RANGE = re.compile(
    rf"(?<![\w.])(?P<others>(?:{NAME}(?:\s*,\s*|\s+and\s+))*)(?P<name>{NAME})\s*(?:,?\s*(?:int|integer|float)\w*\s*,?\s*)?"
    rf"(?:(?:is|are|may be|can be|lies?)\s+)?(?:anything\s+)?(?:from\s+|between\s+|in\s+)?"
    rf"(?P<low>{NUMBER})\s*(?:\.\.\.?|to|and)\s*(?P<high>{NUMBER}(?:,\d{{3}})*)(?![\w.]*\d)"
)
"""The range of a number: "width int, 1..32", "R, N from 1 to 128", "N anything from 0 to 20,000"."""
FROM_TO = re.compile(rf"(?P<low>{NUMBER})\s*(?:to|\.\.)\s*(?P<high>{NUMBER})\s+(?P<name>{NAME})")
CHOICES = re.compile(
    rf"(?P<name>{NAME})(?:\s*\([^()]*\))?\s*:?\s+{IS}(?:one of|either|in)?\s*"
    rf"(?:(?P<values>{NUMBER}(?:\s*,\s*{NUMBER})*\s*,?\s+or\s+{NUMBER})(?![\w.]*\d)|\{{(?P<listed>\s*{NUMBER}(?:\s*,\s*{NUMBER})+)\s*\}})"
)
"""The values that a number may have: "bits is 2, 4 or 8", "group in {16, 32}"."""
SIGN = re.compile(
    rf"{OTHERS}(?P<name>{NAME})\s+(?:{IS}(?:an?\s+)?(?:strictly |small |tiny )?|is\s+an?\s+(?:buffer|tensor|vector|array)\s+of\s+)"
    r"(?P<which>positive|non-?negative|non-?zero)\b(?! infinit| inf\b)|\b(?P<which_before>positive|non-?negative"
    rf"|non-?zero)\s+(?P<name_after>{NAME})"
)
NEVER_NEGATIVE = re.compile(
    rf"{OTHERS}(?P<name>{NAME})\s+(?:(?:is|are|must|can|will|may)\s+)?(?:never|not|cannot)\s+(?:be\s+)?(?:negative\b(?! inf)"
    r"|(?:(?:be|go|goes|drops?|falls?|dips?|sinks?|gets?|lies?)\s+)?(?:below|under|less than|smaller than)\s+(?:0|zero)(?![.\d]))"
)
FIXED_AT = re.compile(
    rf"{OTHERS}(?P<name>{NAME})\s+(?:(?:is|are|stays?)\s+(?:always\s+)?(?:fixed (?:at|to)|constant(?:ly)? at|pinned to"
    rf"|hard-?coded (?:as|to)|equal to|exactly"
    rf"|always)|(?:always )?equals)\s+(?P<of>{NUMBER}(?![\w.]*\d)|{NAME}\b)(?!\s*(?:times|%|percent|x\b|or\b))"
)
"""The only size that there is: "D is fixed at 64"."""
OVER_ZERO = re.compile(
    r"(?P<strict>>(?!=)|(?:strictly )?(?:greater|larger|more|bigger) than|above)\s*(?:0|zero)(?![.\d])"
    r"|(?:>=|at least|(?:no|not|never) (?:less|smaller|lower) than|not below|never below)\s*(?:0|zero)(?![.\d])"
    r"|\b(?:smallest|least|lowest)(?: (?:possible )?(?:value|entry|number|one))? (?:is|being) (?:0|zero)(?![.\d])"
    r"|\b(?:never|not|cannot be) negative\b(?! inf)|\b(?:0|zero) (?:is|being) the (?:smallest|least|lowest)\b"
)
"""Says of the numbers of an input that none is negative: "all their entries are greater than 0"."""
POSITIVE = re.compile(r"\b(?P<which>positive|non-?negative|non-?zero)\b(?! inf)", re.IGNORECASE)
GOES_ON = re.compile(rf"^{OPERATOR}[\w(]")
"""What follows a comparison of which only a part was read."""
CONDITION_AFTER = re.compile(r"^\W*(?:else|if|when)\b")
AMOUNT = rf"(?:{NUMBER}|(?:an?|one|a few|several|some) (?:ten|hundred|thousand|million)s?)"
MAGNITUDE = re.compile(
    rf"\bmagnitudes?\s+(?:is\s+|are\s+|of\s+)?(?:up to|at most|below|under|<=|<)\s*(?P<of>{AMOUNT})"
    rf"|\b(?:up to|at most|below|under)\s+(?P<of_before>{AMOUNT})\s+in (?:magnitude|absolute value)"
)


@dataclass(frozen=True)
class Statement:
    """One statement. words: as the text says it. test: whether it is true; None if a name in it is unknown."""

    words: str
    test: Test


def statements_in(sentences: Sequence[str], clauses: Sequence[Clause]) -> Iterator[Statement]:
    """Everything that looks like a statement."""
    for sentence in sentences:
        yield from _comparisons(sentence)
        for pattern, read in READERS:
            for match in pattern.finditer(sentence):
                before = sentence[: match.start()]
                is_of_all = not CONDITION.search(before) and not OF_SOME.search(before)
                if is_of_all and not is_hedged(match) and not is_denied_before(match):
                    yield from (Statement(_words_of(match, name), read(match, name)) for name in _names_of(match))
    for found in ranges_in(clauses):
        yield from (
            Statement(f"{name} {found.words}", functools.partial(_is_within, found, name)) for name in found.names if not found.is_drawn
        )
    for clause in clauses:
        match = POSITIVE.search(clause.words)
        if match is not None and clause.names and clause.is_of_inputs(POSITIVE) and is_promised(clause, match):
            yield from (Statement(f"{name} is {match[0].lower()}", _sign(match, name)) for name in clause.names)
        yield from _over_zero(clause)
    yield from _magnitudes_in(sentences)


def _over_zero(clause: Clause) -> Iterator[Statement]:
    """That no number of an input is negative, from what a clause says of all its numbers."""
    match = OVER_ZERO.search(clause.words)
    if match is None or not is_promised(clause, match) or SOME.search(clause.words):
        return
    for name in clause.names:
        yield Statement(f"{name} {match[0]}", functools.partial(_is_over_zero, name, match["strict"] is not None))


OF_SOME = re.compile(r"\b(?:some|many|few|most|half|several|part)(?: of)?(?: the)?(?: \w+)? (?:of|in) $", re.IGNORECASE)
SOME = re.compile(r"\b(?:some|any|one|many|which|that|only|those|fewer|number of)\b[^,;]*$", re.IGNORECASE)
"""Marks what is said of some numbers only."""


def _is_over_zero(name: str, is_strict: bool, names: Names) -> bool | None:
    value = looked_up(name, names)
    if value is None:
        return None
    tensor = torch.as_tensor(value)
    return not bool(((tensor <= 0) if is_strict else (tensor < 0)).any())


def _names_of(match: re.Match[str]) -> list[str]:
    """The names that a match is about; those before the last one only where the verb, if any, is in the plural."""
    groups = match.groupdict()
    last = groups.get("name") or groups["name_after"]
    others = re.findall(NAME, groups.get("others") or "") if not re.search(r"\b(?:is|has)\b", match[0]) else []
    return [*(name for name in others if name != "and"), last]


def _words_of(match: re.Match[str], name: str) -> str:
    """The words of a match about one name, without the names before it."""
    groups = match.groupdict()
    words = match[0].removeprefix(groups.get("others") or "")
    return (f"{name}{words.removeprefix(groups['name'])}" if groups.get("others") else words).strip()


def _is_within(found: Range, name: str, names: Names) -> bool | None:
    """Whether the input of a name keeps to a range."""
    value = looked_up(name, names)
    return found.holds(torch.as_tensor(value), names) if value is not None else None


def _magnitudes_in(sentences: Sequence[str]) -> Iterator[Statement]:
    """Bounds of magnitudes: of the input that the clause names, or its sentence begins with, else of all.

    "x, finite, magnitude up to 1e4" is said of all: whoever names one magnitude names the largest.
    """
    bounds: list[float] = []
    for sentence in sentences:
        for match in MAGNITUDE.finditer(sentence):
            if is_hedged(match):
                continue
            bound = _amount(match["of"] or match["of_before"])
            bounds += [bound] if match["of"] else []
            clause = re.split("[,;]", sentence[: match.start()])[-1]
            called = [*re.findall(NAME, clause)[:1], *re.findall(NAME, sentence)[:1]]
            yield Statement(f"magnitude up to {bound:g}", functools.partial(_is_bounded, bound, called))
    if bounds:
        yield Statement(f"magnitude up to {max(bounds):g}", functools.partial(_is_bounded, max(bounds), []))


def _is_bounded(bound: float, called: Sequence[str], names: Names) -> bool:
    """Whether no magnitude is larger, in the first of the named inputs that there is, or in all."""
    known = (found for name in called if isinstance(found := looked_up(name, names), torch.Tensor))
    one = next(known, None)
    return all(_largest(tensor) <= bound for tensor in (names[ALL] if one is None else [one]))


def _amount(words: str) -> float:
    """A number in digits or words; "a few hundred" are less than ten times as many."""
    many, _, unit = words.rpartition(" ")
    if not many:
        return float(words.replace("_", ""))
    return {"ten": 10.0, "hundred": 100.0, "thousand": 1e3, "million": 1e6}[unit.removesuffix("s")] * (
        1 if many in ("a", "an", "one") else 10
    )


def limits_in(sentences: Sequence[str]) -> dict[str, list[int]]:
    """The smallest and the largest integers that the text gives for each name, in lower case."""
    found: dict[str, list[int]] = {}
    for sentence in sentences:
        for match in RANGE.finditer(sentence):
            numbers = [match[side].replace(",", "").replace("_", "") for side in ("low", "high")]
            for name in (match["name"], *re.findall(NAME, match["others"])):
                found.setdefault(name.lower(), []).extend(int(number) for number in numbers if number.isdecimal())
        for match in CHOICES.finditer(sentence):
            found.setdefault(match["name"].lower(), []).extend(int(number) for number in numbers_of(match) if number == int(number))
    return found


ALL = "all floating inputs"
"""What all floating inputs are called among the names; no name has spaces."""


def _largest(tensor: torch.Tensor) -> float:
    finite = tensor[torch.isfinite(tensor)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _comparisons(sentence: str) -> Iterator[Statement]:
    for match in CHAIN.finditer(sentence):
        before, after = sentence[: match.start("chain")], sentence[match.end() :]
        if (CONDITION.search(before) and not re.search(r"\bany\s*$", before)) or CONDITION_AFTER.search(after):
            continue
        if GOES_ON.search(after) or is_hedged(match):
            continue
        tree = parsed(match["chain"])
        if not isinstance(tree, ast.Compare):
            continue
        sides = [tree.left, *tree.comparators]
        for left, sign, right in zip(sides, tree.ops, sides[1:]):
            yield Statement(match["chain"].strip(), _comparison(left, sign, right))
        if isinstance(tree.left, ast.Name):
            for name in re.findall(NAME, match["others"]):
                if name != "and":
                    words = f"{name}{match['chain'].strip().removeprefix(tree.left.id)}"
                    yield Statement(words, _comparison(ast.Name(name), tree.ops[0], tree.comparators[0]))


def _comparison(left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Test:
    def test(names: Names) -> bool | None:
        try:
            sides = [_of_any_size(value_of(side, names)) for side in (left, right)]
            if any(side is None for side in sides) or type(sign) not in SIGNS:
                return None
            found = SIGNS[type(sign)](*sides)
            for side in sides:  # what is said of numbers is not said of NaN
                found = found | side.isnan() if isinstance(side, torch.Tensor) and is_real(side) else found
            return bool(found.all()) if isinstance(found, torch.Tensor) else bool(found)
        except (RuntimeError, TypeError, OverflowError):  # tensors whose shapes have nothing to do with each other, numbers of no format
            return None

    return test


def _of_any_size(value: Any) -> Any:
    """A value that can be compared with tensors: a whole number beyond 64 bits, as products of limits are, as a float."""
    return float(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


def _of_a_name(holds: Callable[[Any, Any], bool], *groups: str) -> Reader:
    """A reader of statements about one name, and another name or a number."""

    def read(match: re.Match[str], name: str) -> Test:
        others = [parsed(match[group]) for group in groups]

        def test(names: Names) -> bool | None:
            value, rest = looked_up(name, names), [value_of(other, names) for other in others]
            if value is None or any(each is None for each in rest):
                return None
            if isinstance(value, torch.Tensor) and is_real(value):
                value = value[~value.isnan()]
            try:
                return bool(torch.as_tensor(holds(value, rest)).all())
            except (RuntimeError, TypeError, ZeroDivisionError):
                return None

        return test

    return read


def _parity(match: re.Match[str], name: str) -> Test:
    remainder = int((match["which"] or match["which_before"]) == "odd")
    return _of_a_name(lambda value, _: value % 2 == remainder)(match, name)


def _sign(match: re.Match[str], name: str) -> Test:
    groups = match.groupdict()
    which = (groups.get("which") or groups["which_before"]).replace("-", "").lower()
    read = _of_a_name(lambda value, _: value > 0 if which == "positive" else value >= 0 if which == "nonnegative" else value != 0)
    return read(match, name)


def _limit(match: re.Match[str], name: str) -> Test:
    which = match["which"]
    if re.fullmatch(MOST, which):
        return _of_a_name(lambda value, rest: value <= rest[0], "of")(match, name)
    if re.fullmatch(LEAST, which):
        return _of_a_name(lambda value, rest: value >= rest[0], "of")(match, name)
    return _of_a_name(lambda value, rest: value < rest[0] if re.fullmatch(BELOW, which) else value > rest[0], "of")(match, name)


def _between(match: re.Match[str], name: str) -> Test:
    return _of_a_name(lambda value, rest: (value >= rest[0]) & (value <= rest[1]), "low", "high")(match, name)


def _in_range(match: re.Match[str], _: str) -> Test:
    low, high = (float(match[side].replace(",", "")) for side in ("low", "high"))
    names = [match["name"], *(name for name in re.findall(NAME, match["others"]) if name != "and")]

    def test(names_known: Names) -> bool | None:
        known = [value for value in (looked_up(name, names_known) for name in names) if value is not None]
        return all(lies_between(value, low, high) for value in known) if known else None

    return test


def _chosen(match: re.Match[str], name: str) -> Test:
    numbers = torch.tensor(numbers_of(match), dtype=torch.float64)
    return _of_a_name(lambda value, _: bool(torch.isin(torch.as_tensor(value, dtype=torch.float64), numbers).all()))(match, name)


READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (PARITY, _parity),
    (SIGN, _sign),
    (MULTIPLE, _of_a_name(lambda value, rest: value % rest[0] == 0, "of")),
    (DIVIDES, _of_a_name(lambda value, rest: rest[0] % value == 0, "of")),
    (POWER, _of_a_name(lambda value, _: value > 0 and value & (value - 1) == 0)),
    (LIMIT, _limit),
    (FIXED_AT, _of_a_name(lambda value, rest: value == rest[0], "of")),
    (FROM_TO, _between),
    (RANGE, _in_range),
    (CHOICES, _chosen),
    (NEVER_NEGATIVE, _of_a_name(lambda value, _: value >= 0)),
)
"""What to look for in each sentence, and how to read a match."""
