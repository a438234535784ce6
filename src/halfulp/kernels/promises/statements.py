"""Statements: sentences in a problem's text that compare named things ("0 <= fmin < fmax", "dim even", "finite"), turned into tests."""

from __future__ import annotations

import ast
import functools
import io
import itertools
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..problems.calls import is_real

Names = Mapping[str, Any]
"""What each name stands for: a number or a tensor; `ALL` stands for all floating inputs."""
Test = Callable[[Names], "bool | None"]

NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?"
NAME = r"[A-Za-z_]\w*"
ATOM = rf"(?:\|{NAME}\||{NAME}(?:\[\w+\])?|{NUMBER})"
OPERATOR = r"\s*(?://|\*\*|[-+*/])\s*"
TERM = rf"{ATOM}(?:{OPERATOR}{ATOM})*"
FACTOR = rf"(?:(?:min|max)\(\s*{TERM}\s*,\s*{TERM}\s*\)|\(\s*{TERM}\s*\)|{ATOM})"
EXPRESSION = rf"{FACTOR}(?:{OPERATOR}{FACTOR})*"
CHAIN = re.compile(rf"(?P<others>(?:{NAME}(?:\s*,\s*|\s+and\s+))*)(?P<chain>{EXPRESSION}(?:\s*(?:<=|>=|==|<|>)\s*{EXPRESSION})+)")
IS = r"(?:(?:is|are|be|must be|has to be|have to be|being)\s+)?"
AND = re.compile(
    rf"\b(?P<name>{NAME}) (?:is|are) (?P<first>\w+) and (?P<second>(?:divides|even|odd|positive|at least|at most|a multiple)\b)"
)
"""Two things said of one name."""
PARITY = re.compile(
    rf"(?P<name>{NAME})\s+(?:{IS}|(?:\w+\s+)?\()(?:an?\s+)?(?P<which>even|odd)\b|\b(?P<which_before>even|odd)\s+(?P<name_after>{NAME})"
)
MULTIPLE = re.compile(
    rf"(?P<name>{NAME})(?:,[^,;.]*,)?\s+(?:always\s+)?{IS}(?:holds?\s+)?(?:(?:a|always a)\s+)?"
    rf"(?:multiple of|multiples of|divisible by)\s+(?P<of>{ATOM}(?:\s*/\s*{ATOM})?)"
)
DIVIDES = re.compile(rf"(?P<name>{NAME})\s+(?:that\s+|which\s+)?(?:must\s+)?divides?\s+(?P<of>{ATOM})")
POWER = re.compile(rf"(?P<name>{NAME})\s+{IS}(?:a\s+)?powers? of (?:two|2)\b")
LIMIT = re.compile(rf"(?P<name>{NAME})\s+{IS}(?:of\s+)?(?P<which>at least|at most|up to)\s+(?P<of>{NUMBER})")
RANGE = re.compile(
    rf"(?<![\w.])(?P<others>(?:{NAME}(?:\s*,\s*|\s+and\s+))*)(?P<name>{NAME})\s*(?:,?\s*(?:int|integer|float)\w*\s*,?\s*)?"
    rf"(?:(?:is|are|may be|can be|lies?)\s+)?(?:anything\s+)?(?:from\s+|between\s+|in\s+)?"
    rf"(?P<low>{NUMBER})\s*(?:\.\.\.?|to|and)\s*(?P<high>{NUMBER}(?:,\d{{3}})*)(?![\w.]*\d)"
)
"""The range of a number: "width int, 1..32", "R, N from 1 to 128", "N anything from 0 to 20,000"."""
FROM_TO = re.compile(rf"(?P<low>{NUMBER})\s*(?:to|\.\.)\s*(?P<high>{NUMBER})\s+(?P<name>{NAME})")
SAME = r"(?:(?!\b(?:and|but|so that|while) (?:the|its|their|all|each|every)\b)[^.;:()])*"
"""Words that go on about the same thing: not "x: finite, and the scores below stay in [-1, 1]"."""
WITHIN = re.compile(rf"(?P<name>{NAME})(?:\s*:)?{SAME}(?:\([^()]*\))?{SAME}\b(?:with)?in [\[(](?P<low>{NUMBER}),\s*(?P<high>{NUMBER})[\])]")
CHOICES = re.compile(
    rf"(?P<name>{NAME})(?:\s*\([^()]*\))?\s*:?\s+{IS}(?:one of|either|in)?\s*"
    rf"(?:(?P<values>{NUMBER}(?:\s*,\s*{NUMBER})*\s*,?\s+or\s+{NUMBER})(?![\w.]*\d)|\{{(?P<listed>\s*{NUMBER}(?:\s*,\s*{NUMBER})+)\s*\}})"
)
"""The values that a number may have: "bits is 2, 4 or 8", "group in {16, 32}"."""
SIGN = re.compile(
    rf"(?P<name>{NAME})\s+(?:{IS}(?:an?\s+)?|is\s+an?\s+(?:buffer|tensor|vector|array)\s+of\s+)(?P<which>positive|non-?negative|non-?zero)\b|\b(?P<which_before>positive|non-?negative|non-?zero)\s+(?P<name_after>{NAME})"
)
CONDITION = re.compile(r"\b(?:if|when|where|unless|while|until|whose|otherwise|else|sees|only|with|iff)\b[^,;:]*$", re.IGNORECASE)
HEDGED = re.compile(
    r"\b(?:usual(?:ly)?|typical(?:ly)?|often|most(?:ly| of)|normal(?:ly)?|by default"
    r"|in practice|for (?:example|instance)|e\.g|such as|common(?:ly)?|sometimes|generally|currently|likely|roughly|(?:these|the) tests"
    r"|benchmarks?)\b",
    re.IGNORECASE,
)
"""Says something of most inputs, and promises nothing."""
GOES_ON = re.compile(rf"^{OPERATOR}[\w(]")
"""What follows a comparison of which only a part was read."""
CONDITION_AFTER = re.compile(r"^\W*(?:else|if|when)\b")
FINITE = re.compile(
    r"(?<!one )(?<!non-)(?<!non )(?<!not )(?<!n't )(?<!not all )(?<!n't all )(?<!not be )(?<!necessarily )"
    r"(?<!a )(?<!any )(?<!the )\bfinite\b(?![- ](?:difference|element|impulse|state|ones?\b))",
    re.IGNORECASE,
)
NOT_FINITE = re.compile(r"\b(?:not|isn't|aren't) (?:all )?finite\b|\bnon[- ]?finite\b", re.IGNORECASE)
OF_RESULTS = re.compile(
    r"\b(?:gives?|returns?|yields?|becomes?|produces?|results?|outputs?)\b|=\s*[+-]*(?:inf|nan)\b"
    r"|\b(?:(?:max|min)(?:imum)?|sum|mean|log-?sum-?exp) of\b",
    re.IGNORECASE,
)
"""Marks a clause that is about results, not inputs."""
AMOUNT = rf"(?:{NUMBER}|(?:an?|one|a few|several|some) (?:ten|hundred|thousand|million)s?)"
MAGNITUDE = re.compile(
    rf"\bmagnitudes?\s+(?:is\s+|are\s+|of\s+)?(?:up to|at most|below|under|<=|<)\s*(?P<of>{AMOUNT})"
    rf"|\b(?:up to|at most|below|under)\s+(?P<of_before>{AMOUNT})\s+in (?:magnitude|absolute value)"
)


ITEM = re.compile(rf"\n\s*(?:[-*•]|\d+[.)])\s+|\n\s*\n|\n[ \t]*(?={NAME}(?:[ \t]*\([^()\n]*\))?[ \t]*:[ \t])")
"""Where a list item, a paragraph, or the description of one name begins: "kernel_size (int): odd"."""
ROW = re.compile(rf"\n[ \t]*(?P<name>{NAME})[ \t]{{2,}}(?=[A-Za-z\d\[({{])")
"""Where a row of a table begins: a name, and after some space its description."""
SHAPED = re.compile(r"^\s*(?:\w+\s*)?[\[(][^\[\]()]*[\])]")
"""What a description may begin with: a type and a shape, "float32 [B, T]"."""
QUALITY = re.compile(
    r"(?:(?:from\s+|between\s+)?-?\d[\d_]*\s*(?:\.\.|to\s|and\s)"
    r"|even|odd|positive|non-?negative|non-?zero|(?:a |always a )?(?:multiple|power)s? of|divisible by|at least|at most|up to|divides)\b"
)
"""How a clause about a name may begin when it leaves the name out."""


@dataclass(frozen=True)
class Statement:
    """One statement. words: as the text says it. test: whether it is true; None if a name in it is unknown."""

    words: str
    test: Test


def statements_in(sentences: Sequence[str]) -> Iterator[Statement]:
    """Everything that looks like a statement."""
    for sentence in sentences:
        yield from _comparisons(sentence)
        for pattern, read in READERS:
            for match in pattern.finditer(sentence):
                if not CONDITION.search(sentence[: match.start()]) and not is_hedged(match):
                    yield Statement(match[0].strip(), read(match))
    prose = ". ".join(sentences)
    if any(map(_says_finite, sentences)) and not (NOT_FINITE.search(prose) or re.search(r"\bNaN|\binf\b|\binfinit", prose)):
        yield Statement("finite", lambda names: all(bool(torch.isfinite(tensor).all()) for tensor in names[ALL]))
    yield from _magnitudes_in(sentences)


def _says_finite(sentence: str) -> bool:
    """Whether a sentence calls inputs finite, and not only where something holds."""
    befores = (re.split("[,:;]", sentence[: match.start()])[-1] for match in FINITE.finditer(sentence))
    return any(not CONDITION.search(before) and not OF_RESULTS.search(before) for before in befores)


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
    known = (found for name in called if isinstance(found := _looked_up(name, names), torch.Tensor))
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
            found.setdefault(match["name"].lower(), []).extend(int(number) for number in _numbers_of(match) if number == int(number))
    return found


def _numbers_of(match: re.Match[str]) -> list[float]:
    """The numbers in a list."""
    return [float(word.replace("_", "")) for word in re.findall(NUMBER, match["values"] or match["listed"])]


def is_hedged(match: re.Match[str]) -> bool:
    """Whether the clause around a match is about what is usual."""
    sentence = match.string
    before = re.split("[,;:]", sentence[: match.start()])[-1]
    after = re.split("[,;:]", sentence[match.end() :])[0]
    return HEDGED.search(f"{before}{match[0]}{after}") is not None


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
        tree = _parsed(match["chain"])
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


def _parsed(text: str) -> ast.expr:
    """An expression as a syntax tree; a name for nothing if it is none, such as a reserved word."""
    try:
        return ast.parse(re.sub(rf"\|({NAME})\|", r"abs(\1)", re.sub(r"\[\w+\]", "", text)), mode="eval").body
    except SyntaxError:
        return ast.Name("")


def _power(a: Any, b: Any) -> Any:
    """A power such as 2**30; None for anything else."""
    return a**b if isinstance(a, (int, float)) and isinstance(b, int) and 0 <= b <= 64 and abs(a) <= 16 else None


SIGNS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
}  # fmt: skip
OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b, ast.Pow: _power,
}  # fmt: skip


def _comparison(left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Test:
    def test(names: Names) -> bool | None:
        sides = _value(left, names), _value(right, names)
        if None in [side if side is None else 0 for side in sides] or type(sign) not in SIGNS:
            return None
        try:
            found = SIGNS[type(sign)](*sides)
            for side in sides:  # what is said of numbers is not said of NaN
                found = found | side.isnan() if isinstance(side, torch.Tensor) and is_real(side) else found
            return bool(found.all()) if isinstance(found, torch.Tensor) else bool(found)
        except (RuntimeError, TypeError):  # tensors whose shapes have nothing to do with each other
            return None

    return test


def _value(node: ast.expr, names: Names) -> Any:
    """The value of an expression; None if a name in it is unknown."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return _looked_up(node.id, names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, names)
        return None if inner is None else -inner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs":
        inner = _value(node.args[0], names)
        return None if inner is None else abs(inner)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        sides = [_value(side, names) for side in node.args]
        known = all(isinstance(side, (int, float)) for side in sides)
        return {"min": min, "max": max}[node.func.id](sides) if known else None
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        left, right = _value(node.left, names), _value(node.right, names)
        try:
            return None if left is None or right is None else OPERATIONS[type(node.op)](left, right)
        except (RuntimeError, TypeError, ZeroDivisionError):
            return None
    return None


def _looked_up(name: str, names: Names) -> Any:
    """The number or tensor of a name, also if its case differs, or a common prefix or suffix, as long as only one fits."""
    forms = {f"{before}{name}{after}".lower() for before in ("", "n_", "num_") for after in ("", "_size", "s")} | {
        name.lower().removesuffix("s")
    }
    found = [names[name]] if name in names else [value for key, value in names.items() if key.lower() in forms]
    value = found[0] if len(found) == 1 else None
    return value if isinstance(value, (int, float, torch.Tensor)) and not isinstance(value, bool) else None


def _of_a_name(holds: Callable[[Any, Any], bool], *groups: str) -> Callable[[re.Match[str]], Test]:
    """A reader of statements about one name, and another name or a number."""

    def read(match: re.Match[str]) -> Test:
        name = next(match[group] for group in ("name", "name_after") if match.groupdict().get(group))
        others = [_parsed(match[group]) for group in groups]

        def test(names: Names) -> bool | None:
            value, rest = _looked_up(name, names), [_value(other, names) for other in others]
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


def _parity(match: re.Match[str]) -> Test:
    remainder = int((match["which"] or match["which_before"]) == "odd")
    return _of_a_name(lambda value, _: value % 2 == remainder)(match)


def _sign(match: re.Match[str]) -> Test:
    which = (match["which"] or match["which_before"]).replace("-", "")
    return _of_a_name(lambda value, _: value > 0 if which == "positive" else value >= 0 if which == "nonnegative" else value != 0)(match)


def _limit(match: re.Match[str]) -> Test:
    is_least = match["which"] == "at least"
    return _of_a_name(lambda value, rest: value >= rest[0] if is_least else value <= rest[0], "of")(match)


def _between(match: re.Match[str]) -> Test:
    return _of_a_name(lambda value, rest: (value >= rest[0]) & (value <= rest[1]), "low", "high")(match)


def _in_range(match: re.Match[str]) -> Test:
    low, high = (float(match[side].replace(",", "")) for side in ("low", "high"))
    names = [match["name"], *(name for name in re.findall(NAME, match["others"]) if name != "and")]

    def test(names_known: Names) -> bool | None:
        known = [value for value in (_looked_up(name, names_known) for name in names) if value is not None]
        return all(_lies_between(value, low, high) for value in known) if known else None

    return test


def _lies_between(value: Any, low: float, high: float) -> bool:
    """Whether a number, or all of a tensor but NaN, lies between two numbers."""
    if not isinstance(value, torch.Tensor):
        return low <= value <= high
    return not bool(((value < low) | (value > high)).any())


def _chosen(match: re.Match[str]) -> Test:
    numbers = torch.tensor(_numbers_of(match), dtype=torch.float64)
    return _of_a_name(lambda value, _: bool(torch.isin(torch.as_tensor(value, dtype=torch.float64), numbers).all()))(match)


READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Test]], ...] = (
    (PARITY, _parity),
    (SIGN, _sign),
    (MULTIPLE, _of_a_name(lambda value, rest: value % rest[0] == 0, "of")),
    (DIVIDES, _of_a_name(lambda value, rest: rest[0] % value == 0, "of")),
    (POWER, _of_a_name(lambda value, _: value > 0 and value & (value - 1) == 0)),
    (LIMIT, _limit),
    (FROM_TO, _between),
    (RANGE, _in_range),
    (CHOICES, _chosen),
    (WITHIN, _between),
)
"""What to look for in each sentence, and how to read a match."""


LONGEST = 600
"""Characters of a sentence. Longer ones are not read, because searching them takes time that grows with the square of their length."""


def sentences_of(prose: str) -> list[str]:
    """The sentences of a text, one line each, with comparison signs as in code; two things said of one name become two statements.

    Items of a list are sentences of their own; an item that begins with a name is about that name to its end.
    """
    sentences: list[str] = []
    for point in ITEM.split(ROW.sub(r"\n\g<name>: ", prose)):
        plain = " ".join(point.split()).replace("≤", "<=").replace("≥", ">=").replace("`", "")
        first, *others = [sentence.strip() for sentence in re.split(r"[.;](?=\s|$)", plain)]
        about = re.match(rf"({NAME})\s*(?:\([^()]*\))?\s*:", first)
        if about is None:
            sentences += [first, *others]
            continue
        clauses = [clause.strip() for sentence in (SHAPED.sub("", first[about.end() :]), *others) for clause in sentence.split(",")]
        sentences += [first, *(f"{about[1]} {other}" for other in others if other)]
        sentences += [f"{about[1]} is {clause}" for clause in clauses if QUALITY.match(clause)]
    return [AND.sub(r"\g<name> is \g<first>, \g<name> \g<second>", sentence) for sentence in sentences if 0 < len(sentence) <= LONGEST]


def prose_of(text: str) -> str:
    """The docstrings and comments of a file."""
    found: list[str] = []
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            found.append(ast.get_docstring(node) or "")
    comments = [(token.start[0], token.string.lstrip("# ")) for token in tokens if token.type == tokenize.COMMENT]
    for _, lines in itertools.groupby(enumerate(comments), lambda entry: entry[1][0] - entry[0]):
        found.append(" ".join(words for _, (_, words) in lines))
    return ". ".join(part.strip().rstrip(".") for part in found if part.strip())
