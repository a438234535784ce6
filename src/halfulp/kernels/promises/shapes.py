"""Shapes: the names that a text gives to the axes of arguments, "x: (B, N)", "k has shape (B, H, S, E)", "an (M, N) matrix x"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .clauses import names_in
from .grammar import RESULT, VERB
from .sentences import NAME

AXES = re.compile(r"[(\[](?P<axes>[^()\[\]]*)[)\]]")
KIND = re.compile(
    r"\((?:(?:torch\.)?(?:\w*Tensor|array|u?int\d*|(?:b?float|bf|fp)\d*|bool|long|complex\d*)|optional|or|[,|\s])+\)"
    r"|\([^()]*\)(?=\s*:\s*[(\[])",
    re.IGNORECASE,
)
"""A type in brackets, "bias (Tensor): [N]", and no shape; nor is what stands in brackets before the shape."""
GLUE = frozenset(
    "is are be has have having with of a an the both each all shape shapes shaped size sized dims dim dimension dimensions tensor"
    " tensors matrix matrices vector vectors array arrays batch image images input inputs dtype contiguous dense float float16 float32"
    " float64 bfloat16 half double fp16 fp32 bf16 fp64 int int8 int16 int32 int64 uint8 long bool boolean integer integers real always"
    " given as laid out row major then where while and it its".split()
)
"""Words between a name and its shape."""
AXES_BY = rf"{NAME}(?:(?:-by-|\s+by\s+|\s*[x×]\s*)(?:{NAME}|\d+)){{1,4}}"
BY = re.compile(
    rf"\b{AXES_BY}(?=[ -](?:matri(?:x|ces)|tensors?|arrays?|images?|grids?|tables?|ones?)\b)|(?:(?<=shape )|(?<=size )|(?<=: )){AXES_BY}\b"
)
"""A shape without brackets, "an M-by-K matrix"."""
LENGTH = re.compile(
    rf"\b(?P<name>{NAME}),?\s+(?:(?:is|are|be|being|has|have|a|an|the|vector|array|tensor|1-D|1D)\s+){{0,4}}(?:(?:of"
    rf"|with)\s+)?(?:the\s+)?length\s+"
    r"(?P<axis>[A-Z]\w*|[a-z]|\w+_\w+)\b(?!\s*[-+*/(\[])"
)
"""The only axis of a vector, "bias, of length N"."""
THUS = re.compile(r",?\s*\b(?:thus|hence|i\.e\.?,?|so|that is,?|therefore|namely)\s*$")
"""Stands before a shape that follows from what is said before it: "q has one position, thus (B, 1, D)"."""
FEW = 3
"""How many other words may stand there."""
LINKS = re.compile(r"\s*(?:,|&|,?\s*\band\b|/)\s*$")
NOUN_AFTER = re.compile(
    rf"\s*(?:[\w-]+\s+){{0,2}}?(?:matrix|tensor|vector|array|batch|image|input|matrices|tensors|vectors)\s+(?P<name>{NAME})\b"
)
NOUN = re.compile(r"\s*(?:matrix|tensor|vector|array|batch|image|one)\b")
BEFORE_NOUN = re.compile(r"\b(?:an?|the|of|by|with|and|two|both|takes?)\s*$", re.IGNORECASE)
OF_ONE = re.compile(
    r"\b(?:tensors?|series|matrix|vectors?|inputs?|images?|signals?|arrays?|batch|sequence|scores|logits|data)\s+"
    r"(?:(?:of|with|has|have|is|are|in)\s+)?(?:the\s+)?(?:shapes?|sizes?)?\s*$",
    re.IGNORECASE,
)
"""What stands before the shape of the only tensor, which has no name in the text."""


@dataclass
class Shapes:
    """The names of axes that a text gives.

    Attributes:
        axes: the names of the last axes of each argument, "" for one without a name. leading: the number of those axes, for arguments with
            any number of leading ones, "x: (..., D)". fixed: which axes have a number for a length, counted from the end.
    """

    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    leading: dict[str, int] = field(default_factory=dict)
    fixed: dict[str, set[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, sentences: Sequence[str], values: Mapping[str, Any]) -> Shapes:
        """The shapes that some sentences give.

        The first shape of an argument counts; "pos[r]" counts only where no other is found, for it may be an element.

        Args:
            values: of all arguments, by their names.
        """
        found = cls()
        known, read = dict[str, int](), set[str]()
        for name, written, is_indexed in _written(sentences, values):
            is_open = written[:1] in OPEN
            axes = [axis if re.fullmatch(NAME, axis) else "" for axis in written[is_open:]]
            value = values.get(name)
            if not isinstance(value, torch.Tensor) or not (value.dim() == len(axes) or (is_open and value.dim() >= len(axes))):
                continue
            if name in read:
                continue
            if is_open:
                found.leading[name] = len(axes)
            numbers = {place - len(written) for place, axis in enumerate(written) if axis.isdecimal()}
            if all(value.shape[axis] == int(written[axis]) for axis in numbers):
                found.fixed.setdefault(name, set()).update(numbers)
            lengths = dict(zip(axes, value.shape[value.dim() - len(axes) :]))
            if all(known.get(axis, length) == length for axis, length in lengths.items() if axis):
                known |= {} if is_indexed else lengths
                read |= {name} if any(axes) and not is_indexed else set()
                found.axes[name] = tuple(axes)
        return found


OPEN = (["..."], ["*"])
"""Stands for any number of leading axes."""
OF_ALL = re.compile(
    r"\b(?:both|all|two|three) (?:\w+ )?(?:inputs|tensors|arguments|matrices|vectors|operands)\s+(?:(?:have|has|are|of|with|the|same)\s+)*"
    r"(?:shapes?|sizes?)?\s*$",
    re.IGNORECASE,
)
"""What stands before the shape of all tensors."""


def _written(sentences: Sequence[str], values: Mapping[str, Any]) -> Iterator[tuple[str, list[str], bool]]:
    """Each argument with the axes that are written for it, and whether they may be an index, "x[i]"."""
    for sentence in sentences:
        plain, start = BY.sub(_in_brackets, KIND.sub("", sentence)), 0
        for match in LENGTH.finditer(plain):
            if match["name"] in values and match["name"].lower() not in GLUE:
                yield match["name"], [match["axis"]], False
        for match in AXES.finditer(plain):
            lead, start = plain[start : match.start()], match.end()
            is_call = match[0].startswith("(") and re.search(r"\w$", lead) is not None and re.findall(NAME, lead)[-1] not in values
            written = [axis.strip() for axis in match["axes"].strip().removesuffix(",").split(",")]
            is_indexed = re.search(r"\w$", lead) is not None and match[0].startswith("[")  # "x[i]" may be an element
            if is_call or any(":" in axis or re.search(r"\w\s+\w", axis) for axis in written) or (written[:1] in OPEN and is_indexed):
                continue
            for name in _called(plain, lead, match.end(), values):
                yield name, written, is_indexed


def _in_brackets(match: re.Match[str]) -> str:
    """A shape as it is written most often."""
    return f"({', '.join(re.split(r'-by-| +by +| *[x×] *', match[0]))})"


def _called(sentence: str, lead: str, end: int, values: Mapping[str, Any]) -> Sequence[str]:
    """The arguments whose shape stands after some words, up to a place in a sentence."""
    after = NOUN_AFTER.match(sentence, end)
    if after is not None and after["name"] in values and BEFORE_NOUN.search(lead):
        return [after["name"]]
    few = FEW
    if THUS.search(lead):
        lead, few = THUS.sub(" ", lead), 2 * FEW
    words = list(re.finditer(NAME, lead))
    others = 0
    for place in reversed(range(len(words))):
        word = words[place]
        rest = lead[word.end() :]
        if word[0] == "a" and not rest.strip() and NOUN.match(sentence, end):
            continue
        if word[0] in values and (word[0].lower() != "a" or names_in(f"a{rest or '='}", ["a"])):
            return _listed(words, place, lead, values)
        if RESULT.fullmatch(word[0]) and word[0] not in values:
            return []
        if others and re.match(r"\s*[,:;]", rest):
            return []
        if word[0].lower() not in GLUE:
            others += 1
            if others > few or VERB.fullmatch(word[0]):
                return []
    tensors = [name for name, value in values.items() if isinstance(value, torch.Tensor)]
    if OF_ALL.search(lead) and not RESULT.search(sentence[:end]):
        return tensors
    return tensors if len(tensors) == 1 and OF_ONE.search(lead) and not RESULT.search(sentence[:end]) else []


def _listed(words: Sequence[re.Match[str]], place: int, lead: str, values: Mapping[str, Any]) -> list[str]:
    """A name, and those before it in a list, "q, k and v: (B, H, T, E)"."""
    found = [words[place][0]]
    start = words[place].start()
    for word in reversed(words[:place]):
        if word[0] == "and":
            continue
        if word[0] not in values or not LINKS.fullmatch(lead[word.end() : start]):
            break
        found.append(word[0])
        start = word.start()
    return found[::-1]
