"""Values: other numbers and layouts of the arguments. Each question keeps the promises of the problem."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import torch

from ...inputs import InputVariant, variants
from ..problems.calls import ALL, Setting, State, is_real, leaves, with_leaves
from ..promises.grids import coarser
from ..promises.promises import Promises
from ..promises.stated import Stated
from .layouts import first_as_given, laid_out, lies_in_rows, rows_apart
from .question import (
    ALIKE,
    DIFFERENTIATED,
    FAR_FROM_ZERO,
    FAR_MEAN,
    HUGE,
    IN_TRAINING,
    MEAN,
    MEAN_IN_SPREADS,
    TIED,
    Question,
    is_unchanged,
    keeps_apart,
    kept_question,
    shifted,
)
from .whole_numbers import WholeNumbers, whole_range

ASKED = ("values", "layout", "specials")
"""Kinds of variants that are asked here. Sizes have questions of their own, and what else is varied is asked as the problem promises it."""


def value_questions(given: Setting, promises: Promises, stated: Stated, seed: int, *, speaks_of_nan: bool = False) -> Iterator[Question]:
    """Other values and layouts of the arguments.

    Args:
        speaks_of_nan: whether the solution's source does; then what becomes of NaN decides.
    """
    for found in variants(given.arguments, seed):
        is_apart = found.kind == "layout" and stated.rows_apart and not lies_in_rows(found.inputs)
        variant = replace(found, label="rows apart in memory", inputs=rows_apart(given)) if is_apart else found
        if variant.kind not in ASKED or (variant.kind == "layout" and stated.contiguous):
            continue
        arguments = laid_out(variant.inputs, given, stated.strided) if variant.kind == "layout" else promises.kept(variant.inputs)
        if arguments is None or is_unchanged(arguments, given.arguments, variant.kind):
            continue
        is_defined = (variant.label == SUBNORMAL and stated.magnitudes) or (variant.label == NANS and speaks_of_nan)
        is_defined |= variant.label in SPECIAL_NUMBERS and stated.not_finite
        is_special = variant.kind == "specials" and not is_defined
        is_exotic = is_special or (variant.kind == "layout" and stated.lies_as_drawn)
        yield Question(
            "values" if variant.kind == "specials" else variant.kind, variant.label, replace(given, arguments=arguments),
            exotic=is_exotic, tied=(variant.label in TIED or _are_made_equal(variant)) and not stated.ties,
        )  # fmt: skip
        if variant.kind == "layout":
            for question in first_as_given(replace(variant, inputs=arguments), given, stated.strided):
                yield replace(question, exotic=is_exotic)
        if variant.label == OTHERS:
            finer = {at: tensor / FINER for at, tensor in enumerate(leaves(variant.inputs)) if is_real(tensor)}
            yield from kept_question(f"{OTHERS}, and {FINER:g} times smaller", given, finer, promises)


def _are_made_equal(variant: InputVariant) -> bool:
    """Whether numbers far from zero have hardly any spread left in the format of an input."""
    spreads = {MEAN: MEAN_IN_SPREADS, FAR_FROM_ZERO: FAR_MEAN}.get(variant.label)
    kinds = {tensor.dtype for tensor in leaves(variant.inputs) if is_real(tensor)}
    return spreads is not None and not all(keeps_apart(kind, spreads) for kind in kinds)


SUBNORMAL, NANS = "subnormal numbers", "some NaNs"
SPECIAL_NUMBERS = (NANS, "some infinities", "some negative infinities")
OTHERS = "other numbers of the same magnitude"
FINER = 100.0
"""Times smaller: packing in few bits, or a choice by a fixed step, shows on numbers that are close together and on no grid."""


def largest_questions(asked: Sequence[Question], promises: Promises, tables: Collection[str]) -> Iterator[Question]:
    """Short integers at their largest magnitude, with everything else equal: sums in few bits overflow.

    Args:
        asked: on whose settings. tables: see `tables_of`.
    """
    for question in asked:
        setting = question.setting
        given = list(enumerate(leaves(setting.arguments)))
        short = {place: _largest(tensor) for place, tensor in given if tensor.dtype in SHORT and tensor.numel()}
        state = {
            name: _largest(tensor) if tensor.dtype in SHORT and tensor.numel() and name not in tables else tensor
            for name, tensor in setting.state.items()
        }
        if not short and all(state[name] is setting.state[name] for name in state):
            continue
        floats = {place: tensor for place, tensor in given if is_real(tensor) and tensor.numel()}
        changed = short | {place: torch.full_like(tensor, float(tensor.abs().max())) for place, tensor in floats.items()}
        label = f"{question.label}, short whole numbers at their largest, {ALIKE}"
        for found in kept_question(label, replace(setting, state=state), changed, promises):
            yield replace(found, kind=question.kind, tied=True, far=question.far, sizes=question.sizes)


SHORT = (torch.int8, torch.uint8)
"""Types that hold codes of weights and activations; longer ones may hold places."""


def _largest(tensor: torch.Tensor) -> torch.Tensor:
    least, most = int(tensor.min()), int(tensor.max())
    return torch.full_like(tensor, least if -least > most else most)


def alike_questions(given: Setting, promises: Promises, state: State) -> Iterator[Question]:
    """Inputs of the same shape made equal, with other parameters: pairs that match as well as possible."""
    floats = [(place, tensor) for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.dim()]
    first = next(((place, tensor) for place, tensor in floats if any(own.shape == tensor.shape for at, own in floats if at > place)), None)
    if first is not None:
        others = [(place, tensor) for place, tensor in floats if place > first[0] and tensor.shape == first[1].shape]
        same = {place: first[1].to(tensor.dtype, copy=True) for place, tensor in others}
        same = {place: tensor for place, tensor in same.items() if bool(torch.isfinite(tensor).all())}
        label = "inputs of one shape all the same" + (", every parameter and buffer twice as large" if state else "")
        for question in kept_question(label, replace(given, state=state), same, promises):
            yield replace(question, tied=True)


def grid_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """Exact numbers on a coarser grid, where comparisons end in ties; then the same with one input a prefix of another."""
    tensors = leaves(given.arguments)
    coarse = {place: coarser(tensors[place], COARSE_BITS) for place in sorted(promises.on_a_grid)}
    label = f"numbers cut to multiples of {2.0**-COARSE_BITS:g}"
    pairs = [(at, place) for at, place in itertools.permutations(coarse, 2) if _begins_like(coarse[at], coarse[place])]
    alike = dict(coarse)
    for at, place in pairs[:1]:
        alike[place] = alike[place].clone()
        alike[place][tuple(slice(length) for length in alike[at].shape)] = alike[at]
    for changed, words in ((coarse, ""), (alike, ", inputs of one shape equal")) if pairs else ((coarse, ""),) if coarse else ():
        for question in kept_question(f"{label}{words}", given, changed, promises):
            yield replace(question, tied=not stated.ties)


COARSE_BITS = 2
"""Binary places that are left: 0, 1/4, 1/2 and 3/4, whose products and sums coincide about half the time."""


def _begins_like(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Whether one shape fits into the other, with the same rows and at most one longer axis."""
    pairs = list(zip(x.shape, y.shape))
    return 0 < x.dim() == y.dim() and x.shape[-1] == y.shape[-1] and all(a <= b for a, b in pairs) and sum(a != b for a, b in pairs) < 2


def _negative(tensor: torch.Tensor, times: float) -> torch.Tensor:
    """Negative and larger numbers, none of them near zero, where a maximum that starts at zero would be right."""
    return -times * (tensor.abs() + tensor.abs().max())


def leading_questions(given: Setting, promises: Promises) -> Iterator[Question]:
    """The most telling changes, before time runs out: every number negative and large, for maxima that start at 0 or -1e9.

    Small numbers too: they show what is added to a square or to its root, and what is not a multiple of a fixed step.
    """
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if is_real(tensor) and tensor.numel()}
    for times, label in ((100.0, "a hundred"), (HUGE, f"{HUGE:g}")):
        changed = {place: _negative(tensor, times) for place, tensor in floats.items()}
        if changed and all(bool(torch.isfinite(tensor).all()) for tensor in changed.values()):
            for question in kept_question(f"every number negative and {label} times larger", given, changed, promises):
                yield replace(question, blunt=times == HUGE)
    small = {place: tensor / FINER for place, tensor in floats.items()}
    yield from kept_question(f"numbers {FINER:g} times smaller", given, small, promises) if small else ()
    sizes = {place: tensor.abs() for place, tensor in floats.items()}
    for place in list(floats)[:MOST_LEADING] if len(floats) > 1 else ():  # all products negative
        label = f"input {place} negative and a thousand times larger, the others positive"
        yield from kept_question(label, given, {**sizes, place: _negative(floats[place], 1000)}, promises)


MOST_LEADING = 3
"""How many inputs are asked one at a time before anything else: the first ones are multiplied; scales and biases come last."""


def single_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """One tensor at a time: of one sign while the others have the other, and large at either end of an axis."""
    tensors = leaves(given.arguments)
    floats = [place for place, tensor in enumerate(tensors) if is_real(tensor) and tensor.numel()]
    sizes = {place: tensors[place].abs() for place in floats if torch.isfinite(tensors[place]).all()}
    huge = {place: tensors[place] * HUGE for place in sizes}
    if huge and all(bool(torch.isfinite(tensor).all()) for tensor in huge.values()):
        yield from kept_question(f"numbers {HUGE:g} times larger", given, huge, promises)
    small = {place: tensors[place] / TINY for place in sizes}
    for question in kept_question(f"numbers {TINY:g} times smaller", given, small, promises) if small else ():
        yield replace(question, blunt=True)
    for place in floats:
        if len(floats) > 1:
            for question in kept_question(f"input {place} all zero", given, {place: torch.zeros_like(tensors[place])}, promises):
                yield replace(question, tied=not stated.ties)
        if len(floats) > 1 and place in sizes:
            yield from kept_question(f"input {place} negative, the others positive", given, {**sizes, place: -sizes[place]}, promises)
        if place in sizes and len(floats) == 1:
            yield from kept_question(
                f"input {place} negative and a thousand times larger", given, {place: _negative(tensors[place], 1000)}, promises
            )
        if place in promises.definite:
            ratio = stated.condition_number or SPREAD
            label = f"input {place} with eigenvalues that lie {ratio:g} times apart"
            yield from kept_question(label, given, {place: _spread(tensors[place], ratio)}, promises)
        yield from _far_from_zero(place, tensors[place], given, promises, stated) if len(floats) > 1 and place in sizes else ()
        half = tensors[place].clone()
        half.view(-1)[half.numel() // 4 : 3 * half.numel() // 4 + 1] = 0
        for question in kept_question(f"half of input {place} zero, in one piece", given, {place: half}, promises):
            yield replace(question, tied=not stated.ties)
        if tensors[place].dim() > 1 and tensors[place].shape[0] > 1:
            twins = tensors[place].clone()
            twins[1] = twins[0]
            for question in kept_question(f"{TWINS} {place}", given, {place: twins}, promises):
                yield replace(question, tied=not stated.ties)
        yield from _together(place, tensors, given, promises)
        yield from _large_at_ends(place, tensors[place], given, promises)


def _far_from_zero(place: int, tensor: torch.Tensor, given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """A large mean of one input: all together may lose their spread, but one is spread out by the others, and its mean has to cancel."""
    for spreads, label in ((MEAN_IN_SPREADS, MEAN), (FAR_MEAN, FAR_FROM_ZERO)):
        away = shifted(tensor, spreads) if keeps_apart(tensor.dtype, spreads) else None
        for question in kept_question(f"input {place}: {label}", given, {place: away}, promises) if away is not None else ():
            yield replace(question, tied=not stated.ties)


def _large_at_ends(place: int, tensor: torch.Tensor, given: Setting, promises: Promises) -> Iterator[Question]:
    for axis, length in enumerate(tensor.shape):
        for index, called in ((length - 1, "last"), (0, "first")) if length > 1 else ():
            changed = tensor.clone()
            changed.select(axis, index).mul_(LARGE)
            label = f"input {place}: {LARGE:g} times larger at the {called} index of axis {axis}"
            for question in kept_question(label, given, {place: changed}, promises):
                yield replace(question, apart=given.arguments)


TINY = 1e6
"""Times smaller: an epsilon in the wrong place shows, but not one of 1e-12 against a division by zero, which is up to the author."""
SPREAD = 1000.0
"""The condition number of matrices if the text names none: a solver in float32 keeps four digits of seven."""


def _spread(matrices: torch.Tensor, ratio: float) -> torch.Tensor:
    """Symmetric matrices with the same eigenvectors, and eigenvalues in geometric progression from the same largest one."""
    values, vectors = torch.linalg.eigh(matrices.double())
    spread = values[..., -1:] * torch.logspace(-math.log10(ratio), 0.0, values.shape[-1], dtype=torch.float64)
    found = (vectors * spread.unsqueeze(-2)) @ vectors.mT
    return ((found + found.mT) / 2).to(matrices.dtype)


def _together(place: int, tensors: Sequence[torch.Tensor], given: Setting, promises: Promises) -> Iterator[Question]:
    """Rows close together where another input has equal numbers, and far apart elsewhere: a loss has nothing left to pull together."""
    rows = tensors[place]
    for other, names in enumerate(tensors):
        if rows.dim() < 2 or names.dtype not in (torch.int32, torch.int64) or names.shape != rows.shape[:1]:
            continue
        kinds, own = names.unique(return_inverse=True)
        if 1 < len(kinds) < len(names):
            first = torch.stack([rows[own == kind][0] for kind in range(len(kinds))])
            near = (8 * first[own] + rows / 64).to(rows.dtype)
            some = torch.where((own % 2 == 0).reshape(-1, *(1,) * (rows.dim() - 1)), near, rows)
            for changed, words in ((near, ""), (some, " and even in their order")):
                label = f"rows of input {place} close together where input {other} is the same{words}"
                yield from kept_question(label, given, {place: changed}, promises)


def border_questions(asked: Sequence[Question], promises: Promises) -> Iterator[Question]:
    """Negative and huge numbers at one other size of each: what fills up a last block may be larger or smaller than these."""
    for question in {question.label.partition(":")[0]: question for question in reversed(asked)}.values():
        tensors = leaves(question.setting.arguments)
        floats = {place: tensor for place, tensor in enumerate(tensors) if is_real(tensor) and tensor.numel()}
        for label, changed in (
            ("all numbers negative", {place: _negative(tensor, 1) for place, tensor in floats.items()}),
            (f"numbers {HUGE:g} times larger", {place: tensor * HUGE for place, tensor in floats.items()}),
        ):
            if floats and all(bool(torch.isfinite(tensor).all()) for tensor in changed.values()):
                for found in kept_question(f"{question.label}, {label}", question.setting, changed, promises):
                    yield replace(found, kind="sizes", otherwise=None, sizes=question.sizes, borders=True)


def whole_number_questions(given: Setting, numbers: WholeNumbers) -> Iterator[Question]:
    """Integers at their limits, or marked as not counting."""
    for label, changed in (*numbers.changes(), *numbers.of_stated_range(), *numbers.of_any_size()):
        yield Question("values", label, replace(given, arguments=with_leaves(given.arguments, changed)))


def whole_range_questions(question: Question, places: Collection[int]) -> Iterator[Question]:
    """Integers over the whole range of their type, on another question's setting.

    Args:
        places: of inputs that may hold any.
    """
    tensors = leaves(question.setting.arguments)
    changed = {place: whole_range(tensors[place]) for place in places if place < len(tensors) and tensors[place].numel()}
    if changed:
        setting = replace(question.setting, arguments=with_leaves(question.setting.arguments, changed))
        yield replace(question, label=f"{question.label}, whole numbers over their full range", setting=setting)


TWINS = "the first two rows alike in input"
"""A distance of zero, where a square root has no derivative: gradients show what is added under the root, or left out."""


def training_questions(asked: Sequence[Question]) -> Iterator[Question]:
    """Training mode on other values, chosen from the questions about results: statistics of large numbers cancel."""
    for question in asked:
        if question.label in IN_TRAINING:
            yield replace(
                question, kind="mode", label=f"training mode on {question.label}", setting=replace(question.setting, training=True)
            )


def gradient_questions(asked: Sequence[Question]) -> Iterator[Question]:
    """Gradients on other values and sizes, chosen from the questions about results."""
    for question in asked:
        twins = question.label.startswith(TWINS)
        if question.exotic or (question.kind != "sizes" and question.label not in DIFFERENTIATED and not twins):
            continue
        yield replace(question, kind="gradients", label=f"gradients on {question.label}", gradients=ALL, finite=twins)


LARGE = 1e4
"""It outweighs a whole row, and float32 can hold its square. If float16 overflows, nothing is asked."""
