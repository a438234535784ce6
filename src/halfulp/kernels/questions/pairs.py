"""Pairs: two changes at a time, each of which was answered right alone: a size, a constructor argument, numbers far from zero."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...inputs import variants
from ..problems.calls import Setting, leaves, same_arguments
from ..promises.promises import Promises
from .question import FAR_FROM_ZERO, Question


def extremes(asked: Sequence[Question]) -> list[Question]:
    """Of the questions that change one size, those with the smallest and the largest of each."""
    sizes: dict[str, dict[int, Question]] = {}
    for question in asked:
        if len(question.sizes) == 1 and not question.gradients and not question.exotic:
            ((name, size),) = question.sizes.items()
            sizes.setdefault(name, {})[size] = question
    return [found[size] for found in sizes.values() for size in dict.fromkeys((min(found), max(found)))]


def far_questions(asked: Sequence[Question], promises: Promises, seed: int, *, has_modes: bool, has_ties: bool) -> Iterator[Question]:
    """Numbers far from zero on each of these settings: their squares cancel only if nothing else spreads them.

    Such numbers have fewer distinct values than random ones: at larger sizes some are equal.

    Args:
        asked: on whose settings. has_modes: whether training mode computes something else, and is asked instead.
        has_ties: whether the problem says which of equal numbers counts.
    """
    for question in asked:
        for variant in itertools.takewhile(lambda found: found.kind == "values", variants(question.setting.arguments, seed)):
            arguments = promises.kept(variant.inputs) if variant.label == FAR_FROM_ZERO else None
            if arguments is not None:
                setting = replace(question.setting, arguments=arguments, training=has_modes)
                words = f"{question.label}, {variant.label}{', in training mode' if has_modes else ''}"
                yield Question(
                    "mode" if has_modes else "values",
                    words,
                    setting,
                    tied=not has_ties,
                    far=question.far,
                    sizes=question.sizes,
                    singular=question.singular,
                )


def longer_constructor_questions(given: Setting, constructors: Sequence[Question], sizes: Sequence[Question]) -> Iterator[Question]:
    """Other constructor arguments at other sizes: a number that is multiplied by itself at each step overflows only then.

    Arguments that require other inputs are left out: inputs of another size are drawn without that change.
    """
    alone = [question for question in constructors if _has_inputs_of(question.setting, given)]
    for size, question in itertools.product(sizes, alone):
        own, drawn = question.setting.init, size.setting.init
        if len(own) >= len(drawn) == len(given.init):  # what is left out has a default
            init = tuple(
                drawn[place] if place < len(drawn) and same_arguments(new, given.init[place]) else new for place, new in enumerate(own)
            )
            label = f"{question.label}, {size.label}"
            yield replace(
                size, kind="parameters", label=label, setting=replace(size.setting, init=init), of=question.of, singular=question.singular
            )


def _has_inputs_of(setting: Setting, given: Setting) -> bool:
    """Whether its inputs are the given ones, unchanged."""
    return all(new is old for new, old in zip(leaves(setting.arguments), leaves(given.arguments)))
