"""Stated: what a problem's text says about its inputs in plain words ("N >= 3", "dim even", "magnitude up to 1e4"); questions keep to it.

The author of a problem describes its inputs in a docstring, and a solution may rely on that. A sentence counts only if it is true of the
given inputs and its names are known: those of the constructor, the arguments, the constants of the file, or the axes of a shape, "x: (N,
C)".
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from ..problems.calls import Setting, State, is_real, leaves
from ..problems.problem import Problem, argument_names
from .statements import ALL, NAME, NUMBER, limits_in, prose_of, sentences_of, statements_in

SHAPE = re.compile(
    rf"(?P<names>(?:{NAME}\s*,\s*)*{NAME})\s*(?::|\bis\b|\bof shape\b)?\s*"
    rf"(?P<between>(?:{NAME}\s*,?\s+){{0,3}})[(\[](?P<axes>[^()\[\]]*)[)\]]"
)
INDEXED = re.compile(r"\w\[\Z")
"""What comes before the axes: "x[..., i]" is a part of x, and "x: [..., D]" is all of it."""
ANY_SHAPE = re.compile(r"\b(?:any|arbitrary) (?:shape|rank|number of (?:axes|dim(?:ension)?s))\b", re.IGNORECASE)
NOT_HELD = re.compile(r"\b(?:anything|ignored|beyond|outside|padding|padded)\b", re.IGNORECASE)
NOT_BEFORE = re.compile(r"\b(?:no|not|never|without|nor)\b(?:\W+\w+){0,3}\W*$", re.IGNORECASE)
NOT_AFTER = re.compile(r"^(?:\W+\w+){0,3}?\W+(?:no|not|never|cannot|\w+n't)\b", re.IGNORECASE)
"""A denial of something, a few words before it or after it."""
SPECIALS = {
    math.nan: re.compile(r"\bNaNs?\b"),
    math.inf: re.compile(r"\binfinit|[^-]\binf\b|\+-inf"),
    -math.inf: re.compile(r"-inf\b|\binfinit"),
}
"""How a text mentions NaN and infinities."""
PROPAGATES = re.compile(r"\bpropagate", re.IGNORECASE)
"""If said of NaN and infinities without naming an input, it is said of all of them."""
OF_RESULTS = re.compile(r"\b(?:gives?|returns?|yields?|becomes?|produces?|results?|outputs?)\b|=\s*[+-]*(?:inf|nan)\b", re.IGNORECASE)
"""Marks a clause that is about results, not inputs."""
SIGNED = re.compile(r"(?<!non-)(?<!non)\bnegative\b|\b(?:any|either|both) signs?\b|\[ *-", re.IGNORECASE)
"""Says that numbers may be negative, although no drawn one is."""
ZEROS = re.compile(
    r"\bzeros? (?:is|are) (?:common|allowed|possible|frequent|usual)\b|\bmay (?:be|hold|contain|have) (?:\w+ )?(?:0|zeros?)(?![.\d])"
    r"|\b(?:some|many) (?:\w+ )?(?:are|may be|hold) (?:exactly )?(?:0|zeros?)(?![.\d])",
    re.IGNORECASE,
)
"""Says that zeros are among the numbers, although none is drawn."""
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
"""A sentence that leaves open what happens to equal numbers."""
TO_EVEN = re.compile(r"ties? to even|half to even", re.IGNORECASE)
ROUNDS = re.compile(
    r"\b(?:ties? to even|half to even|round(?:s|ed|ing)? half|half away|round(?:s|ed)? to (?:the )?nearest|ties away)", re.IGNORECASE
)
NOTHING = re.compile(
    r"\b(?:fully|entirely|completely|all|wholly)[- ]masked\b|\bnothing\b|\bwithout any\b"
    r"|\bno (?:valid|allowed|unmasked|visible|keys?|true)\b|\bno \w+ (?:is|are) (?:valid|allowed|unmasked|visible|true|left)\b"
    r"|\bonly masked\b|\bno such\b",
    re.IGNORECASE,
)
FLOAT32 = re.compile(
    r"\brounded once\b|\bone (?:final )?rounding\b|\ball arithmetic (?:is )?(?:in )?(?:float32|fp32)\b"
    r"|\bsums?\b[^.;]{0,40}\bin (?:float32|fp32)\b",
    re.IGNORECASE,
)
"""Not "computed in float32": that is said of kernels that round the factors of a product to 16 bits, as GPUs multiply them."""
EMPTY = re.compile(
    r"\bempty\b|\blengths? (?:is |are |of )?(?:0|zero)\b|\b(?:with|has|have|having) no \w+s\b|\bwithout any \w+s\b", re.IGNORECASE
)
BOUND = re.compile(
    r"\b(?:at most|no more than|fewer than|up to)\s+[\w-]+\s+(?:\w+\s+)?"
    r"(?:rows?|nodes?|edges?|tokens?|elements?|entries|items?|points?|keys?|neighbou?rs?|frames?|bags?)\b"
    r"|\blongest\b|\bmaximum (?:length|size)",
    re.IGNORECASE,
)
NAMED_BOUND = re.compile(r"max|longest|limit|capacity", re.IGNORECASE)
"""Names that say how long a piece may be."""
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
    r"\b(?:inference|forward) only\b"
    r"|\b(?:no|without) gradients?\b(?: (?:are|is) (?:needed|required|asked|taken|used|computed))?(?= *(?:[.,;:)]|$))",
    re.IGNORECASE,
)
GRADIENTS = re.compile(
    r"\bdifferentiable\b|\bstraight-through gradient"
    r"|\bgradients? (?:[\w()]+ ){0,5}?(?:flows?|reach\w*|(?:are|is) (?:taken|needed|used|computed|asked|trained|required))\b",
    re.IGNORECASE,
)
CONTIGUOUS = re.compile(r"\bcontiguous\b", re.IGNORECASE)
STRIDES = re.compile(
    r"\b(?:non|not|need|may|any|whether|either)\b[^,]*\b(?:contiguous|strides?)\b|\bnoncontiguous\b|\bstrided\b|\bcontiguous or\b"
    r"|\bor (?:\w+ )?(?:views?|slices?)\b|\btransposed views?\b|\bviews? of an?\b",
    re.IGNORECASE,
)
MAGNITUDE_RANGE = re.compile(
    rf"\bmagnitudes?\s+(?:is\s+|are\s+|lie\s+)?(?:in|between|from)\s*[\[(]?\s*(?P<low>{NUMBER})\s*(?:,|and|to)\s*(?P<high>{NUMBER})"
)
ROWS_APART = re.compile(
    r"\bstrides? of (?:its |the |each )?rows?\b|\brow[- ]strides?\b|\bcolumns of a (?:wider|larger|bigger) (?:matrix|tensor|buffer)\b"
    r"|\b(?:last|innermost) (?:axis|dim(?:ension)?) (?:is |are |stays? )?(?:always )?contiguous\b|\bunit stride\b|\bstride (?:of )?1\b",
    re.IGNORECASE,
)
"""Says that rows may lie apart in memory, with their numbers side by side."""
REST = re.compile(r"\b(?:others?|rest|remaining|all else|everything else)\b[^.;]*\bcontiguous\b", re.IGNORECASE)
"""Says that only the inputs mentioned as such may have strides."""
ANY_WHOLE = re.compile(
    r"\bany (?:u?int(?:8|16|32|64)|(?:8|16|32|64)-bit integers?|(?:signed )?integers?)\b"
    r"|\bnegative (?:(?:ones?|values?|numbers?|integers?) )?(?:included|too|as well|allowed)\b|\b(?:whole|full) range of u?int"
    r"|\bany (?:values?|numbers?) (?:of (?:its|the|their) (?:d?type|range)\b|(?:whose|as long as)\b[^.;]*\bfits?\b)",
    re.IGNORECASE,
)
"""Says that integers may take any value of their type."""
SOME_LEFT = re.compile(
    r"\bat least one (?:\w+ )?(?:per|of each|in each|in every|of every) \w+ (?:is|are|stays?|remains?) "
    r"(?:finite|valid|unmasked|kept|left)\b"
    r"|\b(?:no|never an?) (?:row|\w+ )?(?:is |are )?(?:entirely|fully|completely|all) (?:-inf|masked)\b",
    re.IGNORECASE,
)
"""Says that no row is -inf, or masked, as a whole."""
DENIED = re.compile(r"\b(?:no|not|never|non|cannot|none)\b|n't\b", re.IGNORECASE)
"""A clause that denies something."""
KINDS = {
    "float64": torch.float64, "double": torch.float64, "fp64": torch.float64, "float32": torch.float32, "fp32": torch.float32,
    "float16": torch.float16, "half": torch.float16, "fp16": torch.float16, "bfloat16": torch.bfloat16, "bf16": torch.bfloat16,
}  # fmt: skip
ONE_KIND = rf"\b(?:{'|'.join(KINDS)})\b"
SEVERAL_KINDS = re.compile(rf"{ONE_KIND}(?:\s*[,/]\s*{ONE_KIND})*\s*(?:\bor\b|/|,)\s*{ONE_KIND}")


class Stated:
    """What a problem's text says about its inputs.

    Args:
        draws: the problem's own settings, from several seeds. A statement that is not true of them was misread, and doesn't count.

    Attributes:
        ties: whether it says which of equal numbers counts. rounds: whether it rounds to integers, and says how. exact: whether every bit
            counts.
        float32: whether it asks for a single rounding, at the end. overflows: whether it says that what is too large becomes infinite.
        specials: the places of inputs that may hold NaN, infinity or minus infinity, by these values. behind: which of these values may be
            where
            nothing counts, as in padding. magnitudes: whether subnormal numbers are among its inputs.
        signed: the places of inputs that it says may be negative, or zero. any_whole: those of integers that may take any value of their
            type.
        empties: whether it mentions empty pieces. bounds: whether it, or one of its names, limits how long pieces may be.
        nothing: whether it says what becomes of rows that are masked as a whole. some_left: whether it says that there are none.
        gradients: whether it asks for them. inference: whether it says that none are needed.
        contiguous: whether inputs are contiguous. rows_apart: whether only their rows may lie apart. strided: the places of inputs that may
            have
            strides. lies_as_drawn: whether a function draws all inputs, contiguous, and nothing is said of strides, so that a difference in
            another
            layout decides nothing.
        names: of inputs, by their place. limits: the smallest and the largest size that it names. magnitude_range: the same of magnitudes,
            if any.
        condition_number: the largest that it mentions. kinds: other formats that its inputs may have.
    """

    def __init__(self, problem: Problem, draws: Sequence[Setting]) -> None:
        self._problem = problem
        self._sentences = sentences_of(f"{prose_of(problem.text)}.\n\n{problem.description}")
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
        self._of_any_shape = self._places(draws[0], ANY_SHAPE, self._sentences)
        held = [sentence for sentence in self._sentences if not NOT_HELD.search(sentence)]
        self.ties = any(TIES.search(TO_EVEN.sub("", sentence)) and not FREE.search(sentence) for sentence in self._sentences)
        self.specials = {value: found for value, words in SPECIALS.items() if (found := self._places(draws[0], words, held))}
        floats = [place for place, tensor in enumerate(leaves(draws[0].arguments)) if is_real(tensor)]
        self.signed = floats if self._says(ZEROS) else self._places(draws[0], SIGNED, held)
        ignored = [sentence for sentence in self._sentences if NOT_HELD.search(sentence)]
        self.behind = tuple(value for value, words in SPECIALS.items() if any(_is_said(words, sentence) for sentence in ignored))
        self.empties = self._says(EMPTY)
        self.rows_apart = ROWS_APART.search(self._prose) is not None
        # Whoever draws inputs names what is drawn, and promises nothing.
        sizes = () if problem.format == "GPU MODE" else problem.sizes
        named = {*sizes, *_constructor_names(problem), *self._arguments}
        self.bounds = BOUND.search(self._prose) is not None or any(NAMED_BOUND.search(name) for name in named)
        self.nothing = NOTHING.search(self._prose) is not None
        self.float32 = FLOAT32.search(self._prose) is not None
        self.rounds = ROUNDS.search(self._prose) is not None
        bounds = [float(match["of"]) for match in CONDITION_NUMBER.finditer(self._prose)]
        self.condition_number = max(bounds) if bounds else None
        self.exact = self._says(EXACT)
        self.magnitudes = self._says(MAGNITUDES)
        self.overflows = OVERFLOWS.search(self._prose) is not None
        self.gradients = self._says(GRADIENTS)
        self.inference = INFERENCE.search(self._prose) is not None and not self.gradients
        self.contiguous = CONTIGUOUS.search(self._prose) is not None and STRIDES.search(self._prose) is None
        tensors = leaves(draws[0].arguments)
        whole = [place for place, tensor in enumerate(tensors) if tensor.dtype in (torch.int32, torch.int64) and tensor.dim()]
        self.names = {place: name for name, place in self._leaves_of(draws[0]).items()}
        self.any_whole = self._places(draws[0], ANY_WHOLE, self._sentences, among=whole)
        self.strided = self._may_have_strides(draws[0])
        is_laid_out = all(tensor.is_contiguous() for tensor in tensors)
        self.lies_as_drawn = problem.format == "GPU MODE" and is_laid_out and STRIDES.search(self._prose) is None
        self.some_left = SOME_LEFT.search(self._prose) is not None
        found = limits_in(self._sentences)
        sizes_said = [(float(match["low"]), float(match["high"])) for match in MAGNITUDE_RANGE.finditer(self._prose)]
        self.magnitude_range = sizes_said[0] if sizes_said else None
        self.limits = {name: tuple(dict.fromkeys(found[name.lower()])) for name in problem.sizes if name.lower() in found}
        own = {tensor.dtype for tensor in tensors if is_real(tensor)}
        said = {KINDS[word] for found in SEVERAL_KINDS.finditer(self._prose) for word in re.findall(ONE_KIND, found[0])}
        self.kinds = tuple(kind for kind in dict.fromkeys(KINDS.values()) if len(own) == 1 and own < said and kind in said - own)

    def open_axes(self, draw: Setting) -> dict[int, int]:
        """The inputs that may have any number of leading axes, "x: (..., D)", each with the number of its other axes."""
        names = self._leaves_of(draw)
        shaped = {names[name] for name in self._shapes if name in names}
        free = dict.fromkeys(set(self._of_any_shape) - shaped, 0)
        return free | {names[name]: axes for name, axes in self._open.items() if name in names}

    def named_axes(self, draw: Setting) -> dict[str, list[tuple[int, int]]]:
        """Inputs and axes by the names that the text gives to axes, "img: (B, C, H, W)"."""
        names, tensors = self._leaves_of(draw), leaves(draw.arguments)
        found: dict[str, list[tuple[int, int]]] = {}
        for argument, axes in self._shapes.items():
            if argument in names:
                first = tensors[names[argument]].dim() - len(axes)
                for at, axis in enumerate(axes):
                    found.setdefault(axis, []).append((names[argument], first + at))
        return {axis: places for axis, places in found.items() if axis}

    def fixed_axes(self, draw: Setting) -> set[tuple[int, int]]:
        """Inputs and axes whose length is a number in the text, "positions: (n, 3)", and stays fixed."""
        names = self._leaves_of(draw)
        tensors = leaves(draw.arguments)
        return {(names[name], tensors[names[name]].dim() + axis) for name, axes in self._fixed.items() if name in names for axis in axes}

    def limits_from_above(self, name: str, draw: Setting) -> bool:
        """Whether some statement limits a number from above."""
        names = {**self._names(draw, {}), name: 1 << 62}
        return any(statement.test(names) is False for statement in self._statements)

    def numbers_of(self, draw: Setting) -> set[str]:
        """The names of arguments that are not tensors."""
        return {name for name, value in zip(self._arguments, _parts(draw)) if not isinstance(value, torch.Tensor)}

    def _leaves_of(self, draw: Setting) -> dict[str, int]:
        """The place of each argument that is a tensor, among all tensors."""
        names: dict[str, int] = {}
        at = 0
        for name, value in zip(self._arguments, _parts(draw)):
            names |= {name: at} if isinstance(value, torch.Tensor) else {}
            at += len(leaves((value,)))
        return names

    def _may_have_strides(self, draw: Setting) -> tuple[int, ...]:
        """The places of inputs that may have strides.

        If the text says that all others are contiguous, or describes each input in a line of its own, these are the inputs that it calls
        strided; otherwise all that it doesn't call contiguous.
        """
        places = range(len(leaves(draw.arguments)))
        strided = self._places(draw, STRIDES, self._sentences, among=places)
        said = [sentence for sentence in self._sentences if STRIDES.search(sentence)]
        if strided and (REST.search(self._prose) or all(self._is_of_one_input(sentence, draw) for sentence in said)):
            return strided
        plain = [sentence for sentence in self._sentences if sentence not in said]
        side_by_side = self._places(draw, CONTIGUOUS, plain, among=places)
        return tuple(place for place in places if place not in side_by_side)

    def _is_of_one_input(self, sentence: str, draw: Setting) -> bool:
        """Whether a sentence belongs to the line that describes an input: "x: float32 [n], any strides"."""
        about = re.match(NAME, sentence)
        if about is None or about[0] not in self._leaves_of(draw):
            return False
        line = re.compile(rf"{about[0]}\s*(?:\([^()]*\))?\s*:")
        return any(line.match(other) for other in self._sentences)

    def _says(self, words: re.Pattern[str]) -> bool:
        """Whether some clause says so, without denying it."""
        return any(words.search(clause) and not DENIED.search(words.sub("", clause)) for clause in re.split("[.,:;]", self._prose))

    @property
    def words(self) -> tuple[str, ...]:
        """The statements, a sentence for each."""
        return tuple(f'The problem says: "{words}".' for words in dict.fromkeys(statement.words for statement in self._statements))

    def allows(self, setting: Setting, sizes: Mapping[str, int]) -> bool:
        """Whether a setting agrees with every statement.

        Args:
            sizes: those that differ from the problem's.
        """
        if not self._statements:
            return True
        names = self._names(setting, sizes)
        return not any(statement.test(names) is False for statement in self._statements)

    def allowed(self, setting: Setting, state: State, sizes: Mapping[str, int]) -> State | None:
        """Other parameters that agree with every statement, rounded to quarters if some have to be multiples of a number; or None."""
        quarters = {name: (4 * tensor).round() / 4 if is_real(tensor) else tensor for name, tensor in state.items()}
        return next((found for found in (state, quarters) if self.allows(replace(setting, state=found), sizes)), None)

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
        numbers = {name: value for name, value in values.items() if isinstance(value, (int, float))}
        found = {**values, **found, **numbers}  # a number that is passed may have been changed without its size
        found[ALL] = [tensor for tensor in leaves(setting.arguments) if is_real(tensor)]
        return found

    def _read_shapes(self, draw: Setting) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names of the last axes of each argument, "" for one without a name."""
        values = dict(zip(self._arguments, _parts(draw)))
        known: dict[str, int] = {}
        for match in (match for sentence in self._sentences for match in SHAPE.finditer(sentence)):
            axes = [axis.strip() for axis in match["axes"].split(",")]
            is_open = axes[:1] == ["..."]
            if is_open and INDEXED.search(match.string, 0, match.start("axes")):
                continue
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

    def _places(
        self, draw: Setting, words: re.Pattern[str], sentences: Sequence[str], among: Collection[int] | None = None
    ) -> tuple[int, ...]:
        """The inputs that some clause mentions with these words; the name may be left out if there is only one input.

        Args:
            among: the inputs to choose from; by default the floating ones.
        """
        floats = {place for place, tensor in enumerate(leaves(draw.arguments)) if is_real(tensor) and tensor.dim()}
        floats = floats if among is None else set(among)
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
    """Whether a clause says so, without denying it."""
    match = words.search(clause)
    if match is None:
        return False
    before, after = clause[: match.start()], clause[match.end() :].partition("(")[0]  # what brackets deny is what they hold
    return not NOT_BEFORE.search(before) and not NOT_AFTER.search(after)


def _is_of_results(words: re.Pattern[str], clause: str) -> bool:
    match = words.search(clause)
    return match is not None and OF_RESULTS.search(clause[: match.end()]) is not None


def _constructor_names(problem: Problem) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(problem.constructor).parameters) if problem.constructor is not None else ()
    except (TypeError, ValueError):
        return ()


def _parts(setting: Setting) -> tuple[Any, ...]:
    """The arguments; or the parts of the only one, if that is a tuple, as in problems of GPU MODE."""
    only = setting.arguments[0] if len(setting.arguments) == 1 else None
    if isinstance(only, Mapping):
        return tuple(only.values())
    return tuple(only) if isinstance(only, (tuple, list)) else setting.arguments
