"""What a solution is asked beyond the given inputs: each question stays inside of what the problem promises."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..errors import HalfulpError
from ..inputs import InputVariant, variants
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict
from .calls import Setting, State, leaves, seeded, state_of, with_leaves
from .problem import LARGEST, Problem, count_of
from .promises import Promises
from .stand_in import on_processor
from .whole_numbers import WholeNumbers


@dataclass(frozen=True, eq=False)
class Question:
    """One setting with what it is called.

    Attributes:
        kind, label: see `Asked`. setting: on what. exotic: whether a difference is reported and decides nothing, since honest
            implementations may differ there (NaN, nothing at all). tied: whether numbers are alike, so that which one is chosen is free.
        otherwise: what to ask where this has no answer. gradients: whether it is these that are asked. long: whether it has many more
            numbers than the problem, so that it is asked only where the reference is fast. far: whether a size is many times the
            problem's, so that what takes long or much memory says nothing. finite: whether a difference decides nothing that is no NaN or
            infinity. of: the parameter of a constructor that is another one.
    """

    kind: str
    label: str
    setting: Setting
    exotic: bool = False
    tied: bool = False
    otherwise: Setting | None = None
    gradients: bool = False
    long: bool = False
    far: bool = False
    finite: bool = False
    of: str = ""


ALIKE = "all numbers the same"
TIED = ("ties", "integers", "half of the numbers zero", ALIKE, "all numbers zero")
"""Variants in which many numbers are alike."""


def decides_nothing(question: Question, *, contracted: bool = False) -> tuple[tuple[str, ...], ...]:
    """The first evidence of a verdict that says nothing here.

    Places that are chosen among ties; how errors lean where all numbers are alike, since all errors are alike then; gradients that are NaN
    where all is saturated; infinities of huge numbers where products are contracted.

    Args:
        contracted: the solution's compiler makes one operation of a product and a sum, as those for GPUs do. Exponentials to base two,
            2 ** (x * log2(e) - m * log2(e)), then keep what the rounded second product lost: beyond 2^31 that alone overflows, at x = m.
    """
    found: list[tuple[str, ...]] = []
    if question.tied:
        found.append(("integer_outputs",))
    if ALIKE in question.label:
        found += [("gain",), ("redraw",)]
    if question.gradients and any(label in question.label for label in SATURATED):
        found.append(("specials",))
    if contracted and f"{HUGE:g}" in question.label:
        found.append(("specials",))
    return tuple(found)


A_DIGIT = 10.0
"""Times what rounding causes: where values are extreme, an algorithm that loses less than one digit is no wrong one."""


def loses_little(question: Question, check: CheckResult | None) -> bool:
    """Whether a solution keeps fewer digits than it might where values are extreme, and not a whole digit fewer."""
    if check is None or check.verdict is not Verdict.UNSTABLE or check.because[:1] != ("loss",):
        return False
    noise = check.find("noise")
    is_of_values = question.kind == "values" or (question.gradients and any(label in question.label for label in DIFFERENTIATED))
    return is_of_values and noise is not None and noise.number("rms_in_noise") <= A_DIGIT


PRIMES = (2, 3, 5, 7, 13, 17, 31, 61, 97, 127, 257, 509, 1021)
"""Sizes that no block divides, about two for each power of two."""


def value_questions(given: Setting, promises: Promises, seed: int) -> Iterator[Question]:
    """Other values and layouts of the arguments."""
    for variant in variants(given.arguments, seed):
        if variant.kind in ("sizes", "empty"):
            continue
        arguments = variant.inputs if variant.kind == "layout" else promises.kept(variant.inputs)
        if arguments is None or _unchanged(arguments, given.arguments, variant.kind):
            continue
        yield Question(
            "values" if variant.kind == "specials" else variant.kind, variant.label, replace(given, arguments=arguments),
            exotic=variant.kind == "specials", tied=variant.label in TIED,
        )  # fmt: skip
        if variant.kind == "layout":
            yield from _first_as_given(variant, given)


def _first_as_given(variant: InputVariant, given: Setting) -> Iterator[Question]:
    """All tensors but the first one in another layout: strides of one tensor are taken for those of another."""
    floats = [place for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.dim() > 1]
    if len(floats) > 1:
        arguments = with_leaves(variant.inputs, {floats[0]: leaves(given.arguments)[floats[0]]})
        yield Question("layout", f"{variant.label}, but for input {floats[0]}", replace(given, arguments=arguments))


def _unchanged(arguments: tuple[Any, ...], given: tuple[Any, ...], kind: str) -> bool:
    """Whether what is promised has made the variant what was given."""
    pairs = zip(leaves(arguments), leaves(given))
    return kind != "layout" and all(new.shape == old.shape and torch.equal(new, old) for new, old in pairs)


def _negative(tensor: torch.Tensor, times: float) -> torch.Tensor:
    """The numbers negative and larger, none of them near zero: where one is, a maximum that starts at zero is right by it."""
    return -times * (tensor.abs() + tensor.abs().max())


def leading_questions(given: Setting, promises: Promises) -> Iterator[Question]:
    """What shows the most in one call, before time runs out: every number negative and large, as maxima that start at 0 don't survive."""
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.numel()}
    changed = {place: _negative(tensor, 100) for place, tensor in floats.items()}
    if changed and all(bool(torch.isfinite(tensor).all()) for tensor in changed.values()):
        yield from _kept("every number negative and a hundred times larger", given, changed, promises)


def single_questions(given: Setting, promises: Promises) -> Iterator[Question]:
    """One tensor at a time: of one sign where the others have the other one, large at either end of an axis."""
    tensors = leaves(given.arguments)
    floats = [place for place, tensor in enumerate(tensors) if tensor.is_floating_point() and tensor.numel()]
    sizes = {place: tensors[place].abs() for place in floats if torch.isfinite(tensors[place]).all()}
    huge = {place: tensors[place] * HUGE for place in sizes}
    if huge and all(bool(torch.isfinite(tensor).all()) for tensor in huge.values()):
        yield from _kept(f"numbers {HUGE:g} times larger", given, huge, promises)
    for place in floats:
        if len(floats) > 1 and place in sizes:
            yield from _kept(f"input {place} negative, the others positive", given, {**sizes, place: -sizes[place]}, promises)
        if place in sizes:
            yield from _kept(
                f"input {place} negative and a thousand times larger", given, {place: _negative(tensors[place], 1000)}, promises
            )
        third = tensors[place].clone()
        third.view(-1)[third.numel() // 3 : 2 * third.numel() // 3 + 1] = 0
        for question in _kept(f"a third of input {place} zero, in one piece", given, {place: third}, promises):
            yield replace(question, tied=True)
        if tensors[place].dim() > 1 and tensors[place].shape[0] > 1:
            twins = tensors[place].clone()
            twins[1] = twins[0]
            for question in _kept(f"{TWINS} of input {place}", given, {place: twins}, promises):
                yield replace(question, tied=True)
        yield from _together(place, tensors, given, promises)
        for axis, length in enumerate(tensors[place].shape):
            for index, called in ((length - 1, "last"), (0, "first")) if length > 1 else ():
                changed = tensors[place].clone()
                changed.select(axis, index).mul_(LARGE)
                label = f"input {place}: {LARGE:g} times larger at the {called} index of axis {axis}"
                yield from _kept(label, given, {place: changed}, promises)


def _together(place: int, tensors: Sequence[torch.Tensor], given: Setting, promises: Promises) -> Iterator[Question]:
    """Rows close together where they have the same number, and far apart where they have not: what pulls and pushes has nothing to do."""
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
                yield from _kept(label, given, {place: changed}, promises)


def border_questions(asked: Sequence[Question], promises: Promises) -> Iterator[Question]:
    """Negative and huge numbers, at one other size of each: what fills a last block may be larger than they are, or smaller."""
    for question in {question.label.partition(":")[0]: question for question in reversed(asked)}.values():
        tensors = leaves(question.setting.arguments)
        floats = {place: tensor for place, tensor in enumerate(tensors) if tensor.is_floating_point() and tensor.numel()}
        for label, changed in (
            ("all numbers negative", {place: _negative(tensor, 1) for place, tensor in floats.items()}),
            (f"numbers {HUGE:g} times larger", {place: tensor * HUGE for place, tensor in floats.items()}),
        ):
            if floats and all(bool(torch.isfinite(tensor).all()) for tensor in changed.values()):
                for found in _kept(f"{question.label}, {label}", question.setting, changed, promises):
                    yield replace(found, kind="sizes", otherwise=None)


def whole_number_questions(given: Setting, numbers: WholeNumbers) -> Iterator[Question]:
    """Whole numbers at their limits, or marked as what does not count."""
    for label, changed in numbers.changes():
        yield Question("values", label, replace(given, arguments=with_leaves(given.arguments, changed)))


TWINS = "the first two rows alike"
"""A distance of zero, whose root has no derivative: what is added under the root, or left out, shows in gradients."""
DIFFERENTIATED = ("a large mean", "numbers a thousand times larger", "all numbers negative", "sums that cancel")
"""Variants on which gradients are asked: a formula that is right for small numbers overflows, or cancels, elsewhere."""
SATURATED = ("numbers a thousand times larger",)
"""Variants on which a gradient that is no number decides nothing: that of 1 / (1 + exp(-x)), a sigmoid, is none at -100."""


def training_questions(asked: Sequence[Question]) -> Iterator[Question]:
    """Training mode on other values, among the questions that were asked of results: statistics of large numbers cancel."""
    for question in asked:
        if question.label in DIFFERENTIATED:
            yield replace(
                question, kind="mode", label=f"training mode on {question.label}", setting=replace(question.setting, training=True)
            )


def gradient_questions(asked: Sequence[Question]) -> Iterator[Question]:
    """Gradients on other values and sizes, among the questions that were asked of results."""
    for question in asked:
        twins = question.label.startswith(TWINS)
        if question.exotic or (question.kind != "sizes" and question.label not in DIFFERENTIATED and not twins):
            continue
        yield replace(question, kind="gradients", label=f"gradients on {question.label}", gradients=True, finite=twins)


HUGE = 1e12
"""What stands for infinity in code is often 1e4, 1e9 or 1e10; float32 holds its cube."""
LARGE = 1e4
"""It outweighs a whole row, and float32 holds its square. Float16 may overflow; then nothing is asked."""


def _kept(label: str, given: Setting, changes: Mapping[int, torch.Tensor], promises: Promises) -> Iterator[Question]:
    kept = promises.kept(with_leaves(given.arguments, changes))
    if kept is not None and not _unchanged(kept, given.arguments, "values"):
        yield Question("values", label, replace(given, arguments=kept))


def number_questions(given: Setting) -> Iterator[Question]:
    """Numbers among the arguments that every draw gives alike, one more."""
    for place, value in enumerate(given.arguments):
        for key, part in _numbers(value):
            other = part + 1 if isinstance(part, int) else part + 0.5
            yield Question(
                "values",
                f"argument {place}{key}: {other} instead of {part}",
                replace(given, arguments=_with_number(given.arguments, place, key, other)),
            )


def _numbers(value: Any) -> list[tuple[str, Any]]:
    if type(value) in (int, float):
        return [("", value)]
    return (
        [(f"[{number}]", part) for number, part in enumerate(value) if type(part) in (int, float)]
        if isinstance(value, (tuple, list))
        else []
    )


def _with_number(arguments: tuple[Any, ...], place: int, key: str, other: Any) -> tuple[Any, ...]:
    inner = other
    if key:
        parts = list(arguments[place])
        parts[int(key[1:-1])] = other
        inner = type(arguments[place])(parts)
    return (*arguments[:place], inner, *arguments[place + 1 :])


def constructor_questions(problem: Problem, given: Setting) -> Iterator[Question]:
    """What the constructor's defaults and numbers may be besides: what a solution ignores shows only then."""
    if problem.constructor is None:
        return
    try:
        names = list(inspect.signature(problem.constructor).parameters.values())
    except (TypeError, ValueError):
        return
    whole = [*given.init, *(parameter.default for parameter in names[len(given.init) :])]
    if any(value is inspect.Parameter.empty for value in whole) or len(whole) > len(names):
        return
    for place, value in enumerate(whole):
        others: list[Any] = [not value] if isinstance(value, bool) else [value / 8 or 0.1, value * 8] if isinstance(value, float) else []
        if isinstance(value, int) and not isinstance(value, bool) and place >= len(given.init):
            others = [value + 1, 2 * value + 1]
        if isinstance(value, int) and value < 0:
            yield from _marked(names[place].name, whole, place, given)
        for other in (each for each in others if each != value):
            init = (*whole[:place], other, *whole[place + 1 :])
            label = f"{names[place].name}={other} instead of {value}"
            yield Question("parameters", label, replace(given, init=init), of=names[place].name)


def _marked(name: str, whole: list[Any], place: int, given: Setting) -> Iterator[Question]:
    """A negative number that the inputs hold, as that by which targets are marked that don't count, is another one here and there."""
    value = whole[place]
    indices = {at: tensor for at, tensor in enumerate(leaves(given.arguments)) if tensor.dtype in (torch.int32, torch.int64)}
    if not any(bool((tensor == value).any()) for tensor in indices.values()):  # -1 may be an axis
        return
    held = next((int(tensor[tensor >= 0].reshape(-1)[0]) for tensor in indices.values() if bool((tensor >= 0).any())), value - 1)
    for other in (held, value - 1):
        changed = {at: torch.where(tensor == value, other, tensor).to(tensor.dtype) for at, tensor in indices.items()}
        init = (*whole[:place], other, *whole[place + 1 :])
        setting = replace(given, init=init, arguments=with_leaves(given.arguments, changed))
        yield Question("parameters", f"{name}={other} instead of {value}, in the inputs as well", setting)


def parameter_questions(given: Setting, seed: int, tables: Collection[str] = ()) -> Iterator[Question]:
    """Other parameters: what was built with zeros and ones is neither, weights are larger, running statistics have run.

    Args:
        tables: see `tables_of`.
    """
    if not given.state:
        return
    changes = {
        "the values of every parameter and buffer changed": moved(given.state, seed, tables),
        "the values of every parameter and buffer changed, by other amounts": moved(moved(given.state, seed + 1, tables), seed + 2, tables),
        "every parameter and buffer a hundred times larger": _times(given.state, 100, tables),
        "every parameter and buffer twice as large": _times(given.state, 2, tables),
    }
    for label, state in changes.items():
        yield Question("parameters", label, replace(given, state=state))


def tables_of(problem: Problem, init: tuple[Any, ...]) -> frozenset[str]:
    """The buffers that are computed from a constructor's arguments: filters, angles, masks. Nothing trains them; a solution may know them.

    They are the same whatever random numbers are drawn, and not all alike, as running statistics and scales are to begin with.
    """
    if problem.constructor is None:
        return frozenset()
    built: list[Any] = []
    try:
        for seed in (0, 1):
            with seeded(seed), on_processor(problem.text):
                built.append(problem.constructor(*init))
        first, second = (dict(module.named_buffers()) for module in built)
    except Exception:  # whatever a constructor raises, and what is no module
        return frozenset()
    alike = {
        name for name in first.keys() & second.keys() if first[name].shape == second[name].shape and torch.equal(first[name], second[name])
    }
    return frozenset(name for name in alike if first[name].numel() > 1 and bool((first[name] != first[name].reshape(-1)[0]).any()))


def _times(state: State, factor: int, tables: Collection[str]) -> State:
    return {name: tensor * factor if tensor.is_floating_point() and name not in tables else tensor for name, tensor in state.items()}


def moved(state: State, seed: int, tables: Collection[str] = ()) -> State:
    """Parameters and buffers with noise as large as they are, and at least a half where they are all alike; variances stay positive.

    Whole numbers (codes of weights, zero points, tables of indices) stay within their range: they change places, or are one less where all
    are alike. What is sorted, counts or masks stays, and so do `tables`, see `tables_of`.
    """
    generator = torch.Generator().manual_seed(seed)
    found: State = {}
    for name, tensor in state.items():
        if name in tables:
            found[name] = tensor
            continue
        if not tensor.is_floating_point() or not tensor.numel():
            found[name] = _exchanged(tensor)
            continue
        noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        wide = tensor.double()
        is_flat = tensor.numel() > 1 and bool((tensor == tensor.reshape(-1)[0]).all())
        size = 0.5 if is_flat or tensor.numel() == 1 else float(wide.std())
        changed = wide + size * noise
        if bool((wide > 0).all()) and "var" in name:
            changed = wide * torch.exp(0.5 * noise)
        found[name] = changed.to(tensor.dtype)
    return found


def _exchanged(tensor: torch.Tensor) -> torch.Tensor:
    """Whole numbers at other places; as they are where that means something else."""
    flat = tensor.reshape(-1)
    if tensor.dtype is torch.bool or tensor.is_complex() or flat.numel() < 2:
        return tensor
    steps = flat.to(torch.int64).diff()
    if bool((steps == 0).all()):
        return tensor - 1 if int(flat[0]) > 0 else tensor
    return tensor if bool((steps >= 0).all()) else flat.flip(0).reshape(tensor.shape)


def size_questions(problem: Problem, given: Setting, promises: Promises, seed: int, blocks: Sequence[int] = ()) -> Iterator[Question]:
    """Other sizes: each whole number of the problem one less, one more, one, a prime, the next vector register; the nearest first.

    Args:
        blocks: numbers that the solution's source names, which may be those of its blocks: each size is one more than these too.
    """
    most = max(LARGEST, 2 * count_of(given))
    asked: set[tuple[str, int]] = set()
    own: set[tuple[int, int]] = set()
    steps = sorted({step for step in problem.sizes.values() if step > 1})
    plans = [(name, value, other) for name, value in problem.sizes.items() for other in _others(value, blocks, steps)]
    for name, value, other in sorted(plans, key=_rank):
        if (name, other) in asked or (other == 1 and "#" in name):  # one of two lengths alone: that it is broadcast is no promise
            continue
        asked.add((name, other))
        if other > FAR * value and not _fits(problem, {name: other}, seed, most, given):
            continue
        try:
            setting = problem.draw(seed, {name: other})
        except REFUSALS:
            continue
        changed = _changed_axes(setting.arguments, given.arguments)
        own |= changed
        if other == SEVERAL * value + 1 and not changed:  # five times as many bits are no size
            continue
        if count_of(setting) <= most:
            is_empty = any(not tensor.numel() for tensor in (*leaves(setting.arguments), *setting.state.values()))
            label = f"{size_in_words(name)}: {other} instead of {value}"
            yield Question("sizes", label, setting, exotic=is_empty, far=other > FAR * value)
            if other in BEYOND and (alike := _alike(setting, other)):
                yield Question(
                    "sizes", f"{size_in_words(name)}: {other} instead of {value}, and whole numbers all the same", alike, far=True
                )
    yield from _long_questions(problem, promises, seed, most)
    for variant in variants(given.arguments, seed):
        arguments = promises.kept(variant.inputs) if variant.kind in ("sizes", "empty") else None
        # An axis whose length is one of the problem's sizes, or computed from some, changes with all that belongs to it: that was asked.
        is_own = variant.kind == "sizes" and not own.isdisjoint(_changed_axes(variant.inputs, given.arguments))
        if arguments is not None and not is_own and not _broadcasts(arguments, given):
            yield Question("sizes", variant.label, replace(given, arguments=arguments), exotic=variant.kind == "empty")


def _rank(plan: tuple[str, int, int]) -> int:
    """What says the most comes first: the next sizes, then one that is several times as large."""
    _, value, other = plan
    return 0 if abs(other - value) == 1 else 1 if other == SEVERAL * value + 1 else 2


def _changed_axes(arguments: tuple[Any, ...], given: tuple[Any, ...]) -> set[tuple[int, int]]:
    """The axes of each tensor whose lengths differ; all of one that has another number of axes."""
    pairs = list(enumerate(zip(leaves(arguments), leaves(given))))
    return {
        (place, axis)
        for place, (new, old) in pairs
        for axis in range(old.dim())
        if new.dim() != old.dim() or new.shape[axis] != old.shape[axis]
    }


def _long_questions(problem: Problem, promises: Promises, seed: int, most: int) -> Iterator[Question]:
    """One size many times larger, with positive numbers: a sum that is kept in few bits stalls."""
    for name, value in problem.sizes.items():
        longest = next((times * value + 1 for times in MANY if _fits(problem, {name: times * value + 1}, seed, most)), 0)
        if not name.isidentifier() or not longest:
            continue
        try:
            setting = problem.draw(seed, {name: longest})
        except REFUSALS:
            continue
        floats = {place: tensor.abs() for place, tensor in enumerate(leaves(setting.arguments)) if tensor.is_floating_point()}
        arguments = promises.kept(with_leaves(setting.arguments, floats))
        if arguments is not None and floats:
            label = f"{size_in_words(name)}: {longest} instead of {value}, all numbers positive"
            yield Question("sizes", label, replace(setting, arguments=arguments), long=True)


def _alike(setting: Setting, least: int) -> Setting | None:
    """The setting with every long tensor of whole numbers all the same: what counts them counts one as often as it can."""
    kinds = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    long = {place: tensor for place, tensor in enumerate(leaves(setting.arguments)) if tensor.dtype in kinds and tensor.numel() >= least}
    changed = {place: torch.full_like(tensor, int(tensor.reshape(-1)[0])) for place, tensor in long.items()}
    return replace(setting, arguments=with_leaves(setting.arguments, changed)) if changed else None


def size_in_words(name: str) -> str:
    """What a size is called in `Problem.sizes`, in words."""
    number, _, place = name.partition("#")
    return name if name.isidentifier() else f"the number {number}{f' at its place {place}' if place else ''}"


def _broadcasts(arguments: tuple[Any, ...], given: Setting) -> bool:
    """Whether an axis as long as one of a parameter became 1, so that the reference broadcasts it: that is no promise of the problem."""
    lengths = {length for tensor in given.state.values() for length in tensor.shape}
    pairs = zip(leaves(arguments), leaves(given.arguments))
    return any(after == 1 < before and before in lengths for new, old in pairs for after, before in zip(new.shape, old.shape))


REFUSALS = (HalfulpError, RuntimeError, ValueError, TypeError, IndexError, AssertionError, ZeroDivisionError)
"""What a problem says to sizes that don't fit together."""
FAR = 3
"""Times a size: what is farther may take more memory than there is, and is counted before it is drawn."""


def _fits(problem: Problem, changes: Mapping[str, int], seed: int, most: int, given: Setting | None = None) -> bool:
    """Whether inputs of other sizes stay small, by drawing them without their numbers; by their growth from the given ones elsewhere."""
    try:
        with torch.device("meta"):
            setting = problem.draw(seed, changes)
            return count_of(replace(setting, state=state_of(problem.make(setting.init)))) <= most
    except Exception:  # whatever code makes of tensors without numbers
        return False if given is None else _grown(problem, changes) * count_of(given) <= most


def _grown(problem: Problem, changes: Mapping[str, int]) -> float:
    """How many times as many numbers there may be where each changed size is that of two axes."""
    return math.prod(max(1.0, size / problem.sizes.get(name, size)) ** 2 for name, size in changes.items())


def _others(value: int, blocks: Sequence[int], steps: Sequence[int]) -> list[int]:
    """What to ask instead of a size; where it has to be a multiple of another size, the next multiples."""
    if not value:  # it is a choice, and no size
        return [1]
    prime = max((prime for prime in PRIMES if prime < value), default=0)
    multiple = -(-value // 16) * 16 + 1
    multiples = [value + sign * step for step in steps if step < value and value % step == 0 for sign in (1, -1)]
    beyond = (
        *(size for block in blocks if block > value for size in (block + 1, 2 * block + 1)),
        *(limit for limit in BEYOND if limit > value),
    )
    alike = [step for step in steps if step != value][:ALIKE_SIZES]
    others = (value - 1, value + 1, *multiples[:4], *alike, 1, prime, multiple, 2 * value + 1, SEVERAL * value + 1, *beyond)
    return [other for other in dict.fromkeys(others) if other != value and (other > 0 or other == 0 < value)]


SEVERAL = 5
"""Times a size: what is divided into a fixed number of pieces leaves the rest."""
ALIKE_SIZES = 2
"""Of a problem's other sizes that a size is made equal to: an axis that is found by its length is another one then."""
MANY = (128, 16)
"""Times a size, the most that memory allows: sums of so many positive numbers stall where they are kept in few bits."""
BEYOND = ((1 << 15) + 1, (1 << 16) + 1)
"""Sizes past what 16 bits count, signed and unsigned."""
