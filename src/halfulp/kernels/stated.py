"""Stated: what a problem's text says of its inputs in plain words ("N >= 3", "dim even", "magnitude up to 1e4"): no question leaves that.

Who writes a problem says in a docstring what its inputs are; a solution may rely on it. Only sentences that hold of the given inputs count,
and only those whose names are known: of the constructor, the arguments, the constants of the file, or the axes of a shape, "x: (N, C)".
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from .calls import Setting, leaves
from .problem import Problem, argument_names
from .statements import ALL, NAME, NUMBER, prose_of, sentences_of, statements_in

SHAPE = re.compile(
    rf"(?P<names>(?:{NAME}\s*,\s*)*{NAME})\s*(?::|\bis\b|\bof shape\b)?\s*"
    rf"(?P<between>(?:{NAME}\s*,?\s+){{0,3}})[(\[](?P<axes>[^()\[\]]*)[)\]]"
)
NOT_HELD = re.compile(r"\b(?:anything|ignored|beyond|outside|padding|padded)\b", re.IGNORECASE)
NOT_BEFORE = re.compile(r"\b(?:no|not|never|without|nor)\b(?:\W+\w+){0,3}\W*$", re.IGNORECASE)
NOT_AFTER = re.compile(r"^(?:\W+\w+){0,3}?\W+(?:no|not|never|cannot|\w+n't)\b", re.IGNORECASE)
"""What denies a thing, by a few words before it or after it."""
SPECIALS = {
    math.nan: re.compile(r"\bNaNs?\b"),
    math.inf: re.compile(r"\binfinit|[^-]\binf\b|\+-inf"),
    -math.inf: re.compile(r"-inf\b|\binfinit"),
}
"""What a text says of NaN and infinities."""
PROPAGATES = re.compile(r"\bpropagate", re.IGNORECASE)
"""Said of NaN and infinities without the name of an input, it holds of all."""
OF_RESULTS = re.compile(r"\b(?:gives?|returns?|yields?|becomes?|produces?|results?|outputs?)\b|=\s*[+-]*(?:inf|nan)\b", re.IGNORECASE)
"""What a clause says of results and not of inputs."""
SIGNED = re.compile(r"(?<!non-)(?<!non)\bnegative\b|\b(?:any|either|both) signs?\b|\[ *-", re.IGNORECASE)
"""What says that numbers may be negative, though none of those that are drawn is."""
ZEROS = re.compile(
    r"\bzeros? (?:is|are) (?:common|allowed|possible|frequent|usual)\b|\bmay (?:be|hold|contain|have) (?:\w+ )?(?:0|zeros?)(?![.\d])"
    r"|\b(?:some|many) (?:\w+ )?(?:are|may be|hold) (?:exactly )?(?:0|zeros?)(?![.\d])",
    re.IGNORECASE,
)
"""What says that zeros are among the numbers, though none is drawn."""
TIES = re.compile(
    r"\b(?:ties?|tied)\b|\bequal (?:\w+ )?(?:values?|scores?|keys?|probabilit\w+|numbers?|elements?|logits?|distances?|largest|ones?)\b"
    r"|\b(?:lowest|lower|smallest|first) (?:index|number|position|occurrence|max\w*|one counts)\b"
    r"|\bthe first \w+ (?:on|at|in|for) which\b|\b(?:lowest|first)(?: \w+)? (?:index|position)\b"
    r"|\(strictly\)|\bstrictly (?:less|greater|larger|smaller|more|fewer|above|below)\b|\banswer is unique\b",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:unspecified|undefined|arbitrar\w+|implementation[- ]defined|irrelevant|no ties?|without ties?|in any order|any of (?:them|these)"
    r"|ties? (?:never|do(?:es)?n't|do(?:es)? not|are not)|not (?:specified|defined|guaranteed|tested|checked)|does(?:n't| not) matter)\b",
    re.IGNORECASE,
)
"""A sentence about equal numbers that says that nothing is said of them."""
TO_EVEN = re.compile(r"ties? to even|half to even", re.IGNORECASE)
ROUNDS = re.compile(
    r"\b(?:ties? to even|half to even|round(?:s|ed|ing)? half|half away|round(?:s|ed)? to (?:the )?nearest|ties away)", re.IGNORECASE
)
NOTHING = re.compile(
    r"\b(?:fully|entirely|completely|all|wholly)[- ]masked\b|\bnothing\b|\bwithout any\b"
    r"|\bno (?:valid|allowed|unmasked|visible|keys?|true)\b|\bno \w+ (?:is|are) (?:valid|allowed|unmasked|visible|true|left)\b"
    r"|\bonly masked\b",
    re.IGNORECASE,
)
FLOAT32 = re.compile(
    r"\brounded once\b|\bone (?:final )?rounding\b|\ball arithmetic (?:is )?(?:in )?(?:float32|fp32)\b"
    r"|\bsums?\b[^.;]{0,40}\bin (?:float32|fp32)\b",
    re.IGNORECASE,
)
"""Not "computed in float32": that is said of kernels that round the factors of a product to 16 bits, as GPUs multiply them."""
EMPTY = re.compile(r"\bempty\b|\b(?:with|has|have|having) no \w+s\b|\bwithout any \w+s\b", re.IGNORECASE)
BOUND = re.compile(
    r"\b(?:at most|no more than|fewer than|up to)\s+[\w-]+\s+(?:\w+\s+)?"
    r"(?:rows?|nodes?|edges?|tokens?|elements?|entries|items?|points?|keys?|neighbou?rs?|frames?|bags?)\b"
    r"|\blongest\b|\bmaximum (?:length|size)",
    re.IGNORECASE,
)
NAMED_BOUND = re.compile(r"max|longest|limit|capacity", re.IGNORECASE)
"""What says how long a piece may be."""
CONDITION_NUMBER = re.compile(rf"\bcondition(?: number)?s? (?:is |are )?(?:up to|at most|below|under|of|<=?) (?P<of>{NUMBER})")
EXACT = re.compile(r"\bexactly\b|\bbit[- ](?:for[- ]bit|exact|identical)\b|\bbitwise (?:equal|exact|identical|the same)\b", re.IGNORECASE)
OVERFLOWS = re.compile(
    r"\boverflows? (?:\w+ )?(?:gives?|becomes?|to|is|are|yields?|produces?) (?:\w+ )?[+-]*(?:inf\b|infinit)", re.IGNORECASE
)
MAGNITUDES = re.compile(
    r"\b(?:all|any) magnitudes?\b|\b(?:sub|de)normals?\b"
    r"|\bany (?:finite )?(?:float32|float16|bfloat16|fp32|floating[- ]point) (?:values?|numbers?)\b",
    re.IGNORECASE,
)
INFERENCE = re.compile(
    r"\b(?:inference|forward) only\b|\b(?:no|without) gradients?\b(?! +(?:to|for|through|of|from|into|with|in|on|is|are|flows?)\b)",
    re.IGNORECASE,
)
GRADIENTS = re.compile(
    r"\bdifferentiable\b|\bstraight-through gradient"
    r"|\bgradients? (?:flows?|reach\w*|(?:are|is) (?:taken|needed|used|computed|asked|trained))\b",
    re.IGNORECASE,
)
STRIDES = re.compile(r"\b(?:non|not|need|may|any|whether)\b[^,]*\b(?:contiguous|strides?)\b|\bnoncontiguous\b|\bstrided\b", re.IGNORECASE)
DENIED = re.compile(r"\b(?:no|not|never|non|cannot|none)\b|n't\b", re.IGNORECASE)
"""A clause that says that something is not."""
KINDS = {
    "float64": torch.float64, "double": torch.float64, "fp64": torch.float64, "float32": torch.float32, "fp32": torch.float32,
    "float16": torch.float16, "half": torch.float16, "fp16": torch.float16, "bfloat16": torch.bfloat16, "bf16": torch.bfloat16,
}  # fmt: skip
ONE_KIND = rf"\b(?:{'|'.join(KINDS)})\b"
SEVERAL_KINDS = re.compile(rf"{ONE_KIND}(?:\s*[,/]\s*{ONE_KIND})*\s*(?:\bor\b|/|,)\s*{ONE_KIND}")


class Stated:
    """What a problem's text says of its inputs.

    Args:
        draws: the problem's own settings, from several seeds: what does not hold of these is read wrongly, and does not count.

    Attributes:
        ties: whether it says what counts among equal numbers. specials: the places of inputs that may hold NaN, infinity or minus infinity,
            by these. behind: which of these may be where nothing counts, as in padding. rounds: whether it rounds to whole numbers, and
            says how. float32: whether it asks for one rounding, at the end.
        signed: the places of inputs that it says may be negative, or zero.
        empties: whether it speaks of empty pieces. bounds: whether it says how long pieces may be, or its names do.
        nothing: whether it says what becomes of rows that are masked as a whole.
        inference: whether it asks for no gradients. gradients: whether it asks for them. contiguous: whether inputs are.
        exact: whether every bit counts. magnitudes: whether subnormal numbers are among its inputs.
        overflows: whether it says that what is too large becomes infinite.
        condition_number: the largest that it speaks of.
        kinds: other formats that the numbers of its inputs may have.
    """

    def __init__(self, problem: Problem, draws: Sequence[Setting]) -> None:
        self._problem = problem
        self._sentences = sentences_of(f"{prose_of(problem.text)}. {problem.description}")
        self._prose = ". ".join(self._sentences)
        self._arguments = argument_names(problem.text, problem.entry) if problem.text else []
        self._open: dict[str, int] = {}
        self._fixed: dict[str, set[int]] = {}
        self._shapes = dict(self._read_shapes(draws[0]))
        self._statements = [
            statement
            for statement in statements_in(self._sentences)
            if all(statement.test(self._names(draw, {})) is True for draw in draws)
        ]
        held = [sentence for sentence in self._sentences if not NOT_HELD.search(sentence)]
        self.ties = any(TIES.search(TO_EVEN.sub("", sentence)) and not FREE.search(sentence) for sentence in self._sentences)
        self.specials = {value: found for value, words in SPECIALS.items() if (found := self._places(draws[0], words, held))}
        floats = [place for place, tensor in enumerate(leaves(draws[0].arguments)) if tensor.is_floating_point()]
        self.signed = floats if self._says(ZEROS) else self._places(draws[0], SIGNED, held)
        ignored = [sentence for sentence in self._sentences if NOT_HELD.search(sentence)]
        self.behind = tuple(value for value, words in SPECIALS.items() if any(_is_said(words, sentence) for sentence in ignored))
        self.empties = self._says(EMPTY)
        named = {*problem.sizes, *_constructor_names(problem), *self._arguments}
        self.bounds = BOUND.search(self._prose) is not None or any(NAMED_BOUND.search(name) for name in named)
        self.nothing = NOTHING.search(self._prose) is not None
        self.float32 = FLOAT32.search(self._prose) is not None
        self.rounds = ROUNDS.search(self._prose) is not None
        bounds = [float(match["of"]) for match in CONDITION_NUMBER.finditer(self._prose)]
        self.condition_number = max(bounds) if bounds else None
        self.exact = self._says(EXACT)
        self.magnitudes = self._says(MAGNITUDES)
        self.overflows = OVERFLOWS.search(self._prose) is not None
        self.inference = INFERENCE.search(self._prose) is not None
        self.gradients = self._says(GRADIENTS) and not self.inference
        self.contiguous = re.search(r"\bcontiguous\b", self._prose, re.IGNORECASE) is not None and STRIDES.search(self._prose) is None
        own = {tensor.dtype for tensor in leaves(draws[0].arguments) if tensor.is_floating_point()}
        said = {KINDS[word] for found in SEVERAL_KINDS.finditer(self._prose) for word in re.findall(ONE_KIND, found[0])}
        self.kinds = tuple(kind for kind in dict.fromkeys(KINDS.values()) if len(own) == 1 and own < said and kind in said - own)

    def open_axes(self, draw: Setting) -> dict[int, int]:
        """The inputs that may have any number of leading axes, "x: (..., D)", with how many axes they have beside these."""
        names = self._leaves_of(draw)
        return {names[name]: axes for name, axes in self._open.items() if name in names}

    def named_axes(self, draw: Setting) -> dict[str, list[tuple[int, int]]]:
        """The inputs and their axes by the names that the text gives to these, "img: (B, C, H, W)"."""
        names, tensors = self._leaves_of(draw), leaves(draw.arguments)
        found: dict[str, list[tuple[int, int]]] = {}
        for argument, axes in self._shapes.items():
            if argument in names:
                first = tensors[names[argument]].dim() - len(axes)
                for at, axis in enumerate(axes):
                    found.setdefault(axis, []).append((names[argument], first + at))
        return {axis: places for axis, places in found.items() if axis}

    def fixed_axes(self, draw: Setting) -> set[tuple[int, int]]:
        """Inputs and their axes whose length is a number in the text, "positions: (n, 3)", and no other."""
        names = self._leaves_of(draw)
        tensors = leaves(draw.arguments)
        return {(names[name], tensors[names[name]].dim() + axis) for name, axes in self._fixed.items() if name in names for axis in axes}

    def _leaves_of(self, draw: Setting) -> dict[str, int]:
        """The place of each argument that is a tensor, among all tensors."""
        names: dict[str, int] = {}
        at = 0
        for name, value in zip(self._arguments, _parts(draw)):
            names |= {name: at} if isinstance(value, torch.Tensor) else {}
            at += len(leaves((value,)))
        return names

    def _says(self, words: re.Pattern[str]) -> bool:
        """Whether some clause says so, and doesn't deny it."""
        return any(words.search(clause) and not DENIED.search(words.sub("", clause)) for clause in re.split("[.,:;]", self._prose))

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
            numbers = {place - len(axes) for place, axis in enumerate(axes) if axis.isdecimal()}
            axes = [axis if re.fullmatch(NAME, axis) else "" for axis in axes[is_open:]]
            called = re.findall(NAME, match["names"])
            for name in called if not values.keys().isdisjoint(called) else re.findall(NAME, match["between"])[-1:]:
                value = values.get(name)
                if not isinstance(value, torch.Tensor) or not (value.dim() == len(axes) or (is_open and value.dim() >= len(axes))):
                    continue
                if is_open:
                    self._open[name] = len(axes)
                if all(value.shape[axis] == int(match["axes"].split(",")[axis]) for axis in numbers):
                    self._fixed.setdefault(name, set()).update(numbers)
                lengths = dict(zip(axes, value.shape[value.dim() - len(axes) :]))
                if all(known.setdefault(axis, length) == length for axis, length in lengths.items() if axis):
                    yield name, tuple(axes)

    def _places(self, draw: Setting, words: re.Pattern[str], sentences: Sequence[str]) -> tuple[int, ...]:
        """The floating inputs of which some clause speaks with these words; where there is only one, its name may be left out."""
        floats = {place for place, tensor in enumerate(leaves(draw.arguments)) if tensor.is_floating_point() and tensor.dim()}
        names = self._leaves_of(draw)
        found: set[int] = set()
        for sentence in sentences:
            about = re.match(NAME, sentence)
            for clause in re.split("[,:]", sentence):
                if not _is_said(words, clause) or (_is_of_results(words, clause) and not PROPAGATES.search(clause)):
                    continue
                said = {word.lower().removesuffix("s") for word in re.findall(NAME, clause)}
                named = {place for name, place in names.items() if name.lower().removesuffix("s") in said}
                found |= named or ({names[about[0]]} if about and about[0] in names else set())
                found |= floats if len(floats) == 1 or PROPAGATES.search(clause) else set()
        return tuple(sorted(found & floats))


def _is_said(words: re.Pattern[str], clause: str) -> bool:
    """Whether a clause says so, and doesn't deny it."""
    match = words.search(clause)
    return match is not None and not NOT_BEFORE.search(clause[: match.start()]) and not NOT_AFTER.search(clause[match.end() :])


def _is_of_results(words: re.Pattern[str], clause: str) -> bool:
    match = words.search(clause)
    return match is not None and OF_RESULTS.search(clause[: match.end()]) is not None


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
