"""Stated: what a problem's text says of its inputs in plain words ("N >= 3", "dim even", "magnitude up to 1e4"): no question leaves that.

Who writes a problem says in a docstring what its inputs are; a solution may rely on it. Only sentences that hold of the given inputs count,
and only those whose names are known: of the constructor, the arguments, the constants of the file, or the axes of a shape, "x: (N, C)".
"""

from __future__ import annotations

import ast
import inspect
import io
import itertools
import math
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .calls import Setting, leaves
from .problem import Problem, argument_names

Names = Mapping[str, Any]
Test = Callable[[Names], "bool | None"]

NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?"
NAME = r"[A-Za-z_]\w*"
ATOM = rf"(?:\|{NAME}\||{NAME}(?:\[\w+\])?|{NUMBER})"
EXPRESSION = rf"{ATOM}(?:\s*(?://|\*\*|[-+*/])\s*{ATOM})*"
CHAIN = re.compile(rf"(?P<others>(?:{NAME}(?:\s*,\s*|\s+and\s+))*)(?P<chain>{EXPRESSION}(?:\s*(?:<=|>=|==|<|>)\s*{EXPRESSION})+)")
IS = r"(?:(?:is|are|be|must be|has to be|have to be|being)\s+)?"
AND = re.compile(
    rf"\b(?P<name>{NAME}) (?:is|are) (?P<first>\w+) and (?P<second>(?:divides|even|odd|positive|at least|at most|a multiple)\b)"
)
"""Two things that are said of one name."""
PARITY = re.compile(rf"(?P<name>{NAME})\s+{IS}(?P<which>even|odd)\b|\b(?P<which_before>even|odd)\s+(?P<name_after>{NAME})")
MULTIPLE = re.compile(rf"(?P<name>{NAME})\s+{IS}(?:(?:a|always a)\s+)?(?:multiple of|multiples of|divisible by)\s+(?P<of>{ATOM})")
DIVIDES = re.compile(rf"(?P<name>{NAME})\s+(?:that\s+|which\s+)?(?:must\s+)?divides?\s+(?P<of>{ATOM})")
POWER = re.compile(rf"(?P<name>{NAME})\s+{IS}(?:a\s+)?powers? of (?:two|2)\b")
LIMIT = re.compile(rf"(?P<name>{NAME})\s+{IS}(?:of\s+)?(?P<which>at least|at most|up to)\s+(?P<of>{NUMBER})")
FROM_TO = re.compile(rf"(?P<low>{NUMBER})\s*(?:to|\.\.)\s*(?P<high>{NUMBER})\s+(?P<name>{NAME})")
WITHIN = re.compile(rf"(?P<name>{NAME})(?:\s*:)?[^.;:()]*(?:\([^()]*\))?[^.;:()]*\bin \[(?P<low>{NUMBER}),\s*(?P<high>{NUMBER})\]")
MAGNITUDE = re.compile(rf"\bmagnitudes?\s+(?:is\s+|are\s+|of\s+)?(?:up to|at most|below|under|<=|<)\s*(?P<of>{NUMBER})")
SHAPE = re.compile(
    rf"(?P<names>(?:{NAME}\s*,\s*)*{NAME})\s*(?::|\bis\b|\bof shape\b)?\s*(?P<between>(?:{NAME}\s+){{0,3}})\((?P<axes>[^()]*)\)"
)
CONDITION = re.compile(r"\b(?:if|when|where|unless|while|until|whose|otherwise|else|sees|only|with|iff)\b[^,;:]*$", re.IGNORECASE)
CONDITION_AFTER = re.compile(r"^\W*(?:else|if|when)\b")
FINITE = re.compile(r"(?<!one )(?<!non-)(?<!a )(?<!any )\bfinite\b", re.IGNORECASE)
NOT_HELD = re.compile(r"\b(?:no|not|never|without|anything|ignored|beyond|outside|padding|padded)\b", re.IGNORECASE)
SPECIALS = {
    math.nan: re.compile(r"\bNaNs?\b"),
    math.inf: re.compile(r"\binfinit|[^-]\binf\b|\+-inf"),
    -math.inf: re.compile(r"-inf\b|\binfinit"),
}
"""What a text says of NaN and infinities."""
SIGN = re.compile(
    rf"(?P<name>{NAME})\s+{IS}(?P<which>positive|non-?negative|non-?zero)\b|\b(?P<which_before>positive|non-?negative|non-?zero)\s+(?P<name_after>{NAME})"
)
TIES = re.compile(
    r"\b(?:ties?|tied)\b|\bequal (?:\w+ )?(?:values?|scores?|keys?|probabilit\w+|numbers?|elements?|logits?|distances?|largest|ones?)\b"
    r"|\b(?:lowest|lower|smallest|first) (?:index|number|position|occurrence|max\w*|one counts)\b",
    re.IGNORECASE,
)
TO_EVEN = re.compile(r"ties? to even|half to even", re.IGNORECASE)
ROUNDS = re.compile(
    r"\b(?:ties? to even|half to even|round(?:s|ed|ing)? half|half away|round(?:s|ed)? to (?:the )?nearest|ties away)", re.IGNORECASE
)
NOTHING = re.compile(
    r"\b(?:fully|entirely|completely|all|wholly)[- ]masked\b|\bnothing\b|\bwithout any\b"
    r"|\bno (?:valid|allowed|unmasked|visible|keys?|true)\b",
    re.IGNORECASE,
)
FLOAT32 = re.compile(
    r"\brounded once\b|\bone (?:final )?rounding\b|\ball arithmetic (?:is )?(?:in )?(?:float32|fp32)\b"
    r"|\bsums?\b[^.;]{0,40}\bin (?:float32|fp32)\b",
    re.IGNORECASE,
)
"""Not "computed in float32": that is said of kernels that round the factors of a product to 16 bits, as GPUs multiply them."""
INFERENCE = re.compile(r"\b(?:inference|forward) only\b|\bno gradients?\b|\bwithout gradients?\b", re.IGNORECASE)
STRIDES = re.compile(r"\b(?:non-|not |any |non)(?:contiguous|strides?)\b|\bstrided\b", re.IGNORECASE)
KINDS = {
    "float64": torch.float64, "double": torch.float64, "fp64": torch.float64, "float32": torch.float32, "fp32": torch.float32,
    "float16": torch.float16, "half": torch.float16, "fp16": torch.float16, "bfloat16": torch.bfloat16, "bf16": torch.bfloat16,
}  # fmt: skip
ONE_KIND = rf"\b(?:{'|'.join(KINDS)})\b"
SEVERAL_KINDS = re.compile(rf"{ONE_KIND}(?:\s*[,/]\s*{ONE_KIND})*\s*(?:\bor\b|/|,)\s*{ONE_KIND}")


@dataclass(frozen=True)
class Statement:
    """One thing that is said. words: as the text says it. test: whether it holds; None where a name in it is not known."""

    words: str
    test: Test


class Stated:
    """What a problem's text says of its inputs.

    Args:
        draws: the problem's own settings, from several seeds: what does not hold of these is read wrongly, and does not count.

    Attributes:
        ties: whether it says what counts among equal numbers. specials: the places of inputs that may hold NaN, infinity or minus infinity,
            by these. rounds: whether it rounds to whole numbers, and says how. float32: whether it asks for one rounding, at the end.
        empties: whether it speaks of empty pieces. nothing: whether it says what becomes of rows that are masked as a whole.
        inference: whether it asks for no gradients. contiguous: whether inputs are.
        kinds: other formats that the numbers of its inputs may have.
    """

    def __init__(self, problem: Problem, draws: Sequence[Setting]) -> None:
        self._problem = problem
        self._sentences = sentences_of(f"{prose_of(problem.text)}. {problem.description}")
        self._prose = ". ".join(self._sentences)
        self._arguments = argument_names(problem.text) if problem.text else []
        self._shapes = dict(self._read_shapes(draws[0]))
        self._statements = [statement for statement in self._read() if all(statement.test(self._names(draw, {})) is True for draw in draws)]
        held = [sentence for sentence in self._sentences if not NOT_HELD.search(sentence)]
        self.ties = any(TIES.search(TO_EVEN.sub("", sentence)) for sentence in self._sentences)
        self.specials = {value: found for value, words in SPECIALS.items() if (found := self._places(draws[0], words, held))}
        self.empties = re.search(r"\bempty\b", self._prose) is not None and not re.search(r"\b(?:no|never|not|non)[- ]empty\b", self._prose)
        self.nothing = NOTHING.search(self._prose) is not None
        self.float32 = FLOAT32.search(self._prose) is not None
        self.rounds = ROUNDS.search(self._prose) is not None
        self.inference = INFERENCE.search(self._prose) is not None
        self.contiguous = re.search(r"\bcontiguous\b", self._prose, re.IGNORECASE) is not None and STRIDES.search(self._prose) is None
        own = {tensor.dtype for tensor in leaves(draws[0].arguments) if tensor.is_floating_point()}
        said = {KINDS[word] for found in SEVERAL_KINDS.finditer(self._prose) for word in re.findall(ONE_KIND, found[0])}
        self.kinds = tuple(kind for kind in dict.fromkeys(KINDS.values()) if len(own) == 1 and own < said and kind in said - own)

    @property
    def words(self) -> tuple[str, ...]:
        """What is said, a sentence for each."""
        return tuple(f'The problem says: "{words}".' for words in dict.fromkeys(statement.words for statement in self._statements))

    def allows(self, setting: Setting, sizes: Mapping[str, int]) -> bool:
        """Whether nothing that is said is broken.

        Args:
            sizes: those of the problem that are others.
        """
        if not self._statements:
            return True
        names = self._names(setting, sizes)
        return not any(statement.test(names) is False for statement in self._statements)

    def _names(self, setting: Setting, sizes: Mapping[str, int]) -> dict[str, Any]:
        """What each name of the text stands for."""
        found: dict[str, Any] = {name: size for name, size in {**self._problem.sizes, **sizes}.items() if name.isidentifier()}
        found |= {name: tensor for name, tensor in setting.state.items() if name.isidentifier()}
        found |= dict(zip(_constructor_names(self._problem), setting.init))
        values = dict(zip(self._arguments, _parts(setting)))
        for name, axes in self._shapes.items():
            value = values.get(name)
            if isinstance(value, torch.Tensor) and value.dim() >= len(axes):
                lengths = value.shape[value.dim() - len(axes) :]
                found |= {axis: length for axis, length in zip(axes, lengths) if axis}
        found = {**values, **found}
        found[ALL] = [tensor for tensor in leaves(setting.arguments) if tensor.is_floating_point()]
        return found

    def _read_shapes(self, draw: Setting) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names of the last axes of each argument, "" for one that has none."""
        values = dict(zip(self._arguments, _parts(draw)))
        known: dict[str, int] = {}
        for match in (match for sentence in self._sentences for match in SHAPE.finditer(sentence)):
            axes = [axis.strip() for axis in match["axes"].split(",")]
            is_open = axes[:1] == ["..."]
            axes = [axis if re.fullmatch(NAME, axis) else "" for axis in axes[is_open:]]
            called = re.findall(NAME, match["names"])
            for name in called if not values.keys().isdisjoint(called) else re.findall(NAME, match["between"])[-1:]:
                value = values.get(name)
                if not isinstance(value, torch.Tensor) or not (value.dim() == len(axes) or (is_open and value.dim() >= len(axes))):
                    continue
                lengths = dict(zip(axes, value.shape[value.dim() - len(axes) :]))
                if all(known.setdefault(axis, length) == length for axis, length in lengths.items() if axis):
                    yield name, tuple(axes)

    def _places(self, draw: Setting, words: re.Pattern[str], sentences: Sequence[str]) -> tuple[int, ...]:
        """The floating inputs of which some clause speaks with these words; where there is only one, its name may be left out."""
        floats = {place for place, tensor in enumerate(leaves(draw.arguments)) if tensor.is_floating_point() and tensor.dim()}
        values = _parts(draw)
        names = dict(zip(self._arguments, range(len(values)))) if len(leaves(draw.arguments)) == len(values) else {}
        found: set[int] = set()
        for sentence in (part for each in sentences for part in re.split("[,:]", each)):
            if words.search(sentence):
                said = {word.lower().removesuffix("s") for word in re.findall(NAME, sentence)}
                found |= {place for name, place in names.items() if name.lower().removesuffix("s") in said}
                found |= floats if len(floats) == 1 else set()
        return tuple(sorted(found & floats))

    def _read(self) -> Iterator[Statement]:
        """Everything that looks like a statement."""
        for sentence in self._sentences:
            yield from _comparisons(sentence)
            for pattern, read in READERS:
                for match in pattern.finditer(sentence):
                    if not CONDITION.search(sentence[: match.start()]):
                        yield Statement(match[0].strip(), read(match))
        if FINITE.search(self._prose) and not re.search(r"\bNaN|\binf\b|\binfinit", self._prose):
            yield Statement("finite", lambda names: all(bool(torch.isfinite(tensor).all()) for tensor in names[ALL]))
        bounds = [float(match["of"]) for match in MAGNITUDE.finditer(self._prose)]
        if bounds:
            yield Statement(f"magnitude up to {max(bounds):g}", lambda names: all(_largest(tensor) <= max(bounds) for tensor in names[ALL]))


ALL = "all floating inputs"
"""What these are called among the names; no name has spaces."""


def _largest(tensor: torch.Tensor) -> float:
    finite = tensor[torch.isfinite(tensor)]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _comparisons(sentence: str) -> Iterator[Statement]:
    for match in CHAIN.finditer(sentence):
        before, after = sentence[: match.start("chain")], sentence[match.end() :]
        if (CONDITION.search(before) and not re.search(r"\bany\s*$", before)) or CONDITION_AFTER.search(after):
            continue
        try:
            tree = ast.parse(re.sub(rf"\|({NAME})\|", r"abs(\1)", re.sub(r"\[\w+\]", "", match["chain"])), mode="eval").body
        except SyntaxError:
            continue
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


SIGNS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
}  # fmt: skip
OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
}  # fmt: skip


def _comparison(left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Test:
    def test(names: Names) -> bool | None:
        sides = _value(left, names), _value(right, names)
        if None in [side if side is None else 0 for side in sides] or type(sign) not in SIGNS:
            return None
        try:
            found = SIGNS[type(sign)](*sides)
            return bool(found.all()) if isinstance(found, torch.Tensor) else bool(found)
        except (RuntimeError, TypeError):  # tensors whose shapes have nothing to do with each other
            return None

    return test


def _value(node: ast.expr, names: Names) -> Any:
    """What an expression is; None where a name in it is not known."""
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
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        left, right = _value(node.left, names), _value(node.right, names)
        try:
            return None if left is None or right is None else OPERATIONS[type(node.op)](left, right)
        except (RuntimeError, TypeError, ZeroDivisionError):
            return None
    return None


def _looked_up(name: str, names: Names) -> Any:
    """The number or tensor of a name; of one in other letters, or with what such names begin or end with, where there is only one."""
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
        others = [ast.parse(match[group], mode="eval").body for group in groups]

        def test(names: Names) -> bool | None:
            value, rest = _looked_up(name, names), [_value(other, names) for other in others]
            if value is None or any(each is None for each in rest):
                return None
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


READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Test]], ...] = (
    (PARITY, _parity),
    (SIGN, _sign),
    (MULTIPLE, _of_a_name(lambda value, rest: value % rest[0] == 0, "of")),
    (DIVIDES, _of_a_name(lambda value, rest: rest[0] % value == 0, "of")),
    (POWER, _of_a_name(lambda value, _: value > 0 and value & (value - 1) == 0)),
    (LIMIT, _limit),
    (FROM_TO, _between),
    (WITHIN, _between),
)
"""What is looked for in each sentence, and what a match of it says."""


LONGEST = 600
"""Letters of a sentence; a longer one is none, and is not read: looking through it would take time that grows with its square."""


def sentences_of(prose: str) -> list[str]:
    """The sentences of a text, on one line each, with signs of comparison as in code; what is said twice of a name is two statements."""
    plain = " ".join(prose.split()).replace("≤", "<=").replace("≥", ">=").replace("`", "")
    sentences = [sentence.strip() for sentence in re.split(r"[.;](?=\s|$)", plain)]
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


def _constructor_names(problem: Problem) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(problem.constructor).parameters) if problem.constructor is not None else ()
    except (TypeError, ValueError):
        return ()


def _parts(setting: Setting) -> tuple[Any, ...]:
    """The arguments; the parts of one that is a tuple, as problems of GPU MODE have them."""
    only = setting.arguments[0] if len(setting.arguments) == 1 else None
    if isinstance(only, Mapping):
        return tuple(only.values())
    return tuple(only) if isinstance(only, (tuple, list)) else setting.arguments
