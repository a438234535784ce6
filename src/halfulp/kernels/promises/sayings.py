"""Sayings: what a clause says of ties, strides, formats and the like, in the words that `wording` has for them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import formats, wording
from .clauses import Clause, names_in
from .sentences import NAME


def is_of_ties(clause: Clause) -> bool:
    """Whether a clause says which of equal numbers counts."""
    if wording.FREE.search(clause.sentence):
        return False
    words = replace(clause, words=wording.TO_EVEN.sub("", clause.words))
    return words.says(wording.TIES)


def counts_nothing(clause: Clause) -> bool:
    """Whether a clause says that a number which counts pieces, or their elements, may be zero."""
    about = (*clause.names, *re.findall(NAME, clause.subject()))
    return clause.says(wording.CAN_BE_ZERO) and any(wording.COUNTS_PIECES.search(name) for name in about)


def changes_inputs(clause: Clause, names: Collection[str]) -> bool:
    """Whether a clause demands that an input is overwritten."""
    if wording.ALLOWED.search(clause.words):
        return False
    if clause.says(wording.IN_PLACE):
        return True
    if clause.says(wording.OVERWRITTEN) and not clause.is_of_results(wording.OVERWRITTEN):
        return bool(clause.names)
    pronoun = any(re.match(r"(?:it|them)\b", clause.words[match.end() :]) for match in wording.OVERWRITES.finditer(clause.words))
    if pronoun and not set(clause.before).isdisjoint(names):
        return True
    objects = (words[:2] for match in wording.OVERWRITES.finditer(clause.words) if (words := _nouns(clause.words[match.end() :])))
    return clause.says(wording.OVERWRITES) and any(name in words for words in objects for name in names)


def may_be_infinite(clause: Clause) -> bool:
    """Whether a clause says that something else than an input may be infinite."""
    match = wording.POLES.search(clause.words)
    return (
        match is not None
        and clause.says(wording.POLES)
        and not names_in(" ".join(clause.words[: match.start()].split()[-2:]), clause.known)
    )


def has_strides(clause: Clause) -> bool:
    """Whether a clause says that inputs may have strides, or denies that they are contiguous."""
    if clause.is_of_results(wording.STRIDES) or clause.is_of_results(wording.CONTIGUOUS):
        return False
    denies = (clause.denies(wording.CONTIGUOUS) or clause.leaves_open(wording.CONTIGUOUS)) and clause.is_of_inputs(wording.CONTIGUOUS)
    return clause.says(wording.STRIDES) or denies


def is_contiguous(clause: Clause) -> bool:
    """Whether a clause calls inputs contiguous."""
    words, strides = wording.CONTIGUOUS, wording.STRIDES
    is_said = clause.says(words) and clause.is_of_inputs(words) and not clause.is_conditional(words)
    return is_said or (clause.denies(strides) and not clause.is_of_results(strides))


def says_what_becomes_of_not_finite(clause: Clause) -> bool:
    """Whether a clause says what becomes of inputs that are not finite: "zeros if any gradient is not finite"."""
    return clause.says(wording.NOT_FINITE) and not clause.is_of_results(wording.NOT_FINITE)


def kinds_in(clause: Clause) -> list[str]:
    """The formats of inputs that a clause names in a list, or calls supported."""
    if clause.is_of_results(formats.ANY_KIND) or not clause.says(formats.ANY_KIND):
        return []
    words = clause.words
    if formats.COMPUTED.search(words):
        return []
    found = [word for match in formats.SEVERAL_KINDS.finditer(words) for word in re.findall(formats.ONE_KIND, match[0], re.IGNORECASE)]
    if formats.SUPPORTS.search(f"{clause.item} {words}"):
        found += formats.ANY_KIND.findall(words)
        found += ["float32"] if found and formats.PLAIN_FLOAT.search(words) else []
    return found


def _nouns(words: str) -> list[str]:
    """The words after articles."""
    return [word for word in re.findall(NAME, words) if word.lower() not in ("the", "an", "its", "both", "argument", "input", "tensor")]


def may_be_left_out(clause: Clause, name: str) -> bool:
    """Whether a clause says so of an argument alone."""
    if name not in clause.names or wording.TOGETHER.search(clause.sentence):
        return False
    if any(name in names_in(clause.words[match.end() :], clause.known) for match in wording.NOT_PASSED.finditer(clause.words)):
        return True
    is_said = clause.says(wording.LEFT_OUT) and not clause.is_of_results(wording.LEFT_OUT)
    return is_said or (clause.says(wording.OPTIONAL) and clause.is_of_inputs(wording.OPTIONAL))


def are_finite(clauses: Sequence[Clause]) -> bool:
    """Whether some clause says of inputs that they are finite, or that no other number comes, and none says what others they may hold."""
    words, others = wording.FINITE, wording.NOT_FINITE
    is_said = any(
        (clause.says(words) and clause.is_of_inputs(words) and not clause.is_conditional(words))
        or (clause.denies(others) and wording.COMES.search(clause.words) and not clause.is_of_results(others))
        for clause in clauses
    )
    nan, infinite = (
        any(clause.denies(wording.SPECIALS[value]) and not clause.is_of_results(wording.SPECIALS[value]) for clause in clauses)
        for value in (math.nan, math.inf)
    )
    held = any(clause.says(special) and not clause.is_of_results(special) for clause in clauses for special in wording.SPECIALS.values())
    return (is_said or (nan and infinite)) and not held and not any(map(says_what_becomes_of_not_finite, clauses))


def is_inference(clause: Clause) -> bool:
    """Whether a clause says that nothing is differentiated."""
    return clause.says(wording.NO_GRAD) or clause.denies(wording.DIFFERENTIATES)


COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def left_in(clauses: Sequence[Clause], names: Mapping[str, Any]) -> int:
    """How many numbers of a row are not -inf, "at least k finite logits"; 1 if clauses say only that there are some, 0 if nothing.

    Args:
        names: what each name of the text stands for.
    """
    found = [match for clause in clauses if clause.says(wording.MANY_LEFT) for match in wording.MANY_LEFT.finditer(clause.words)]
    word = next((word for match in found for word in match.groups() if word), "")
    if word.isdigit() or word.lower() in COUNTS:
        return int(COUNTS.get(word.lower(), word))
    count = names.get(word)
    if isinstance(count, (int, float)):
        return int(count)
    sees_itself = any(clause.says(wording.ITSELF) and not clause.is_conditional(wording.ITSELF) for clause in clauses)
    return int(bool(word) or sees_itself or any(clause.denies(wording.NOTHING) for clause in clauses))
