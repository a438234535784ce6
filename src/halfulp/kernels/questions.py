"""What a solution is asked beyond the given inputs: each question stays inside of what the problem promises."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from ..inputs import InputVariant, variants
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict
from .calls import Setting, State, leaves, with_leaves
from .looks import A_DIGIT
from .promises import Promises
from .stated import Stated
from .whole_numbers import WholeNumbers


@dataclass(frozen=True, eq=False)
class Question:
    """One setting with what it is called.

    Attributes:
        kind, label: see `Asked`. setting: on what. exotic: whether a difference is reported and decides nothing, since honest
            implementations may differ there (NaN, nothing at all). tied: whether numbers are alike, so that which one is chosen is free.
        otherwise: what to ask where this has no answer. gradients: whether it is these that are asked. far: whether a size is many times
            the problem's, so that what takes long or much memory says nothing. finite: whether a difference decides nothing that is no NaN
            or infinity. of: the parameter of a constructor that is another one. exact: whether a jump decides where the reference's numbers
            are exact. sizes: those of the problem that are others. blunt: whether digits that are lost, and infinities, decide nothing.
            apart: the arguments before some numbers were made larger than all others.
            borders: whether it is asked for what lies beyond the end of a block. buffers: whether it is these that are asked.
            promised: whether the problem says that it may come, so that a solution may not refuse it.
    """

    kind: str
    label: str
    setting: Setting
    exotic: bool = False
    tied: bool = False
    otherwise: Setting | None = None
    gradients: bool = False
    far: bool = False
    finite: bool = False
    of: str = ""
    exact: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    blunt: bool = False
    apart: tuple[Any, ...] | None = None
    borders: bool = False
    buffers: bool = False
    promised: bool = False

    @property
    def times(self) -> float:
        """How much larger numbers are than those of the problem."""
        return next((times for label, times in LARGER.items() if label in self.label), 1.0)


LARGER = {"a thousand times larger": 2000.0, "a hundred times larger": 200.0}
"""What labels say of it; see `_negative`, which doubles the largest."""


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


def loses_little(question: Question, check: CheckResult | None) -> bool:
    """Whether a solution keeps fewer digits than it might where values are extreme: not a digit fewer; or any, where borders are asked.

    Which digits are kept of such numbers is asked at the given sizes.
    """
    if check is None or check.verdict is not Verdict.UNSTABLE or check.because[:1] != ("loss",):
        return False
    if question.borders:
        return True
    noise = check.find("noise")
    limit = MEAN_IN_SPREADS if question.gradients and MEAN in question.label else A_DIGIT
    is_of_values = question.kind == "values" or (question.gradients and any(label in question.label for label in DIFFERENTIATED))
    return is_of_values and noise is not None and noise.number("rms_in_noise") <= limit


MEAN, MEAN_IN_SPREADS = "a large mean", 100.0
"""What `halfulp.inputs` makes it: gradients that are computed from a rounded result again, as all do who compute attention in tiles, lose
so much where inputs are as far from zero; a square of the mean that cancels loses its square."""


def value_questions(given: Setting, promises: Promises, stated: Stated, seed: int) -> Iterator[Question]:
    """Other values and layouts of the arguments."""
    for variant in variants(given.arguments, seed):
        if variant.kind in ("sizes", "empty") or (variant.kind == "layout" and stated.contiguous):
            continue
        arguments = _of_matrices(variant.inputs, given) if variant.kind == "layout" else promises.kept(variant.inputs)
        if arguments is None or _unchanged(arguments, given.arguments, variant.kind):
            continue
        is_exotic = variant.kind == "specials" and not (variant.label == SUBNORMAL and stated.magnitudes)
        yield Question(
            "values" if variant.kind == "specials" else variant.kind, variant.label, replace(given, arguments=arguments),
            exotic=is_exotic, tied=variant.label in TIED and not stated.ties,
        )  # fmt: skip
        if variant.kind == "layout":
            yield from _first_as_given(variant, given)
        if variant.label == OTHERS:
            finer = {at: tensor / FINER for at, tensor in enumerate(leaves(variant.inputs)) if tensor.is_floating_point()}
            yield from _kept(f"{OTHERS}, and {FINER:g} times smaller", given, finer, promises)


SUBNORMAL = "subnormal numbers"
OTHERS = "other numbers of the same magnitude"
FINER = 100.0
"""Times smaller: what is packed in few bits, or chosen by a fixed step, shows on numbers that lie close together, and on no grid."""


def _of_matrices(arguments: tuple[Any, ...], given: Setting) -> tuple[Any, ...]:
    """The arguments with vectors as they were given, where there is anything else: scales and lengths lie in memory as they were made."""
    own = leaves(given.arguments)
    vectors = {place: tensor for place, tensor in enumerate(own) if tensor.dim() < 2}
    return with_leaves(arguments, vectors) if len(vectors) < len(own) else arguments


def _first_as_given(variant: InputVariant, given: Setting) -> Iterator[Question]:
    """All tensors but the first one in another layout: strides of one tensor are taken for those of another."""
    floats = [place for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.dim() > 1]
    if len(floats) > 1:
        arguments = with_leaves(variant.inputs, {floats[0]: leaves(given.arguments)[floats[0]]})
        yield Question("layout", f"{variant.label}, but for input {floats[0]}", replace(given, arguments=arguments))


def format_questions(given: Setting, stated: Stated) -> Iterator[Question]:
    """The inputs in other formats that the problem names; in wider ones with the parameters, in shorter ones without them first."""
    for kind in stated.kinds:
        changes = {place: tensor.to(kind) for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point()}
        alone = replace(given, arguments=with_leaves(given.arguments, changes))
        state = {name: tensor.to(kind) if tensor.is_floating_point() else tensor for name, tensor in given.state.items()}
        both = replace(alone, state=state)
        first, second = (both, alone) if kind is torch.float64 else (alone, both)
        yield Question(
            "formats", f"the inputs in {str(kind).removeprefix('torch.')}", first, otherwise=second if state else None, promised=True
        )


def text_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """What the problem's text makes worth asking: few numbers that are not masked, numbers half-way between whole ones, empty pieces."""
    for tie in promises.ties if stated.empties else ():
        if tie.way == "ends at":
            ends = leaves(given.arguments)[tie.place].clone()
            ends[1:-1:3] = ends[:-2:3]
            yield from _kept(f"every third piece that input {tie.place} ends is empty", given, {tie.place: ends}, promises)
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.dim()}
    for value, places in stated.specials.items():
        for place in places:
            generator = torch.Generator().manual_seed(place)
            some = floats[place].masked_fill(torch.rand(floats[place].shape, generator=generator) < SOME, value)
            yield from _kept(f"{value} here and there in input {place}", given, {place: some}, promises)
    for place, tensor in floats.items():
        if place in stated.specials.get(-math.inf, ()) and tensor.shape[-1] > LEFT:
            order = torch.rand(tensor.shape, generator=torch.Generator().manual_seed(place)).argsort(-1)
            masked = tensor.masked_fill(order >= LEFT, -torch.inf)
            yield from _kept(f"all but {LEFT} numbers of each row of input {place} -inf", given, {place: masked}, promises)
        for axis, length in enumerate(tensor.shape if place in stated.specials.get(-math.inf, ()) else ()):
            masked = tensor.clone()
            masked.narrow(axis, 0, length // 2).fill_(-torch.inf)
            yield from _kept(f"the first half of axis {axis} of input {place} -inf", given, {place: masked}, promises)
    if stated.exact or stated.rounds:
        below = {place: _below_powers(tensor) for place, tensor in floats.items() if tensor.numel()}
        for question in _kept("numbers next below powers of two", given, below, promises):
            yield replace(question, exact=stated.exact)
    for most in HALF_WAY if stated.rounds else ():
        changed = {place: _half_way(tensor, most) for place, tensor in floats.items() if tensor.numel()}
        for question in _kept(f"numbers half-way between whole ones, the largest {most:g}", given, changed, promises):
            yield replace(question, exact=True)


SOME = 0.05
"""Which part of an input is made NaN or infinite; most rows hold one, and some don't."""
LEFT = 3
"""Numbers that are not masked; fewer than are chosen."""
HALF_WAY = (127.0, 7.0)
"""The largest whole numbers of 8 and 4 bits: where they are the largest of a row, a scale that is found by it is 1, and ties are exact."""


def _below_powers(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers next below powers of two, as large as these: a logarithm that is rounded takes them for the power."""
    powers = torch.exp2(torch.ceil(torch.log2(tensor.abs().double()))).to(tensor.dtype)
    below = powers * (1 - torch.finfo(tensor.dtype).eps / 2)
    return torch.where(torch.isfinite(tensor) & (tensor != 0), below.copysign(tensor), tensor)


def _half_way(tensor: torch.Tensor, most: float) -> torch.Tensor:
    """Whole numbers and a half, as large in proportion; the largest of each row is a whole number."""
    largest = tensor.abs().amax(-1, keepdim=True)
    scaled = torch.where(largest > 0, tensor / largest, 0.0).nan_to_num() * most
    halves = torch.floor(scaled).clamp(1 - most, most - 2) + 0.5
    return torch.where(tensor.abs() == largest, most * torch.sign(tensor), halves).to(tensor.dtype)


def largest_questions(asked: Sequence[Question], promises: Promises, tables: Collection[str]) -> Iterator[Question]:
    """Short whole numbers at the largest magnitude that they have, and everything else alike: sums that are kept in few bits overflow.

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
        floats = {place: tensor for place, tensor in given if tensor.is_floating_point() and tensor.numel()}
        changed = short | {place: torch.full_like(tensor, float(tensor.abs().max())) for place, tensor in floats.items()}
        label = f"{question.label}, short whole numbers at their largest, {ALIKE}"
        for found in _kept(label, replace(setting, state=state), changed, promises):
            yield replace(found, kind=question.kind, tied=True, far=question.far, sizes=question.sizes)


SHORT = (torch.int8, torch.uint8)
"""What holds codes of weights and activations; longer ones may be places."""


def _largest(tensor: torch.Tensor) -> torch.Tensor:
    least, most = int(tensor.min()), int(tensor.max())
    return torch.full_like(tensor, least if -least > most else most)


def alike_questions(given: Setting, promises: Promises, state: State) -> Iterator[Question]:
    """Inputs of one shape that are the same, with other parameters: pairs that match as well as they can."""
    floats = [(place, tensor) for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.dim()]
    first = next(((place, tensor) for place, tensor in floats if any(own.shape == tensor.shape for at, own in floats if at > place)), None)
    if first is not None:
        same = {place: first[1].clone() for place, tensor in floats if place > first[0] and tensor.shape == first[1].shape}
        label = "inputs of one shape all the same" + (", every parameter and buffer twice as large" if state else "")
        for question in _kept(label, replace(given, state=state), same, promises):
            yield replace(question, tied=True)


def _unchanged(arguments: tuple[Any, ...], given: tuple[Any, ...], kind: str) -> bool:
    """Whether what is promised has made the variant what was given."""
    pairs = zip(leaves(arguments), leaves(given))
    return kind != "layout" and all(new.shape == old.shape and torch.equal(new, old) for new, old in pairs)


def _negative(tensor: torch.Tensor, times: float) -> torch.Tensor:
    """The numbers negative and larger, none of them near zero: where one is, a maximum that starts at zero is right by it."""
    return -times * (tensor.abs() + tensor.abs().max())


def leading_questions(given: Setting, promises: Promises) -> Iterator[Question]:
    """What shows the most in a call, before time runs out: every number negative and large; maxima that start at 0 or -1e9 show."""
    floats = {place: tensor for place, tensor in enumerate(leaves(given.arguments)) if tensor.is_floating_point() and tensor.numel()}
    for times, label in ((100.0, "a hundred"), (HUGE, f"{HUGE:g}")):
        changed = {place: _negative(tensor, times) for place, tensor in floats.items()}
        if changed and all(bool(torch.isfinite(tensor).all()) for tensor in changed.values()):
            for question in _kept(f"every number negative and {label} times larger", given, changed, promises):
                yield replace(question, blunt=times == HUGE)
    sizes = {place: tensor.abs() for place, tensor in floats.items()}
    for place in list(floats)[:MOST_LEADING] if len(floats) > 1 else ():  # all products negative
        label = f"input {place} negative and a thousand times larger, the others positive"
        yield from _kept(label, given, {**sizes, place: _negative(floats[place], 1000)}, promises)


MOST_LEADING = 3
"""Inputs that are asked one at a time before anything else: the first ones are multiplied, scales and biases come last."""


def single_questions(given: Setting, promises: Promises, stated: Stated) -> Iterator[Question]:
    """One tensor at a time: of one sign where the others have the other one, large at either end of an axis."""
    tensors = leaves(given.arguments)
    floats = [place for place, tensor in enumerate(tensors) if tensor.is_floating_point() and tensor.numel()]
    sizes = {place: tensors[place].abs() for place in floats if torch.isfinite(tensors[place]).all()}
    huge = {place: tensors[place] * HUGE for place in sizes}
    if huge and all(bool(torch.isfinite(tensor).all()) for tensor in huge.values()):
        yield from _kept(f"numbers {HUGE:g} times larger", given, huge, promises)
    small = {place: tensors[place] / TINY for place in sizes}
    for question in _kept(f"numbers {TINY:g} times smaller", given, small, promises) if small else ():
        yield replace(question, blunt=True)
    for place in floats:
        if len(floats) > 1:
            for question in _kept(f"input {place} all zero", given, {place: torch.zeros_like(tensors[place])}, promises):
                yield replace(question, tied=not stated.ties)
        if len(floats) > 1 and place in sizes:
            yield from _kept(f"input {place} negative, the others positive", given, {**sizes, place: -sizes[place]}, promises)
        if place in sizes and len(floats) == 1:
            yield from _kept(
                f"input {place} negative and a thousand times larger", given, {place: _negative(tensors[place], 1000)}, promises
            )
        if place in promises.definite:
            ratio = stated.condition_number or SPREAD
            label = f"input {place} with eigenvalues that lie {ratio:g} times apart"
            yield from _kept(label, given, {place: _spread(tensors[place], ratio)}, promises)
        third = tensors[place].clone()
        third.view(-1)[third.numel() // 3 : 2 * third.numel() // 3 + 1] = 0
        for question in _kept(f"a third of input {place} zero, in one piece", given, {place: third}, promises):
            yield replace(question, tied=not stated.ties)
        if tensors[place].dim() > 1 and tensors[place].shape[0] > 1:
            twins = tensors[place].clone()
            twins[1] = twins[0]
            for question in _kept(f"{TWINS} {place}", given, {place: twins}, promises):
                yield replace(question, tied=not stated.ties)
        yield from _together(place, tensors, given, promises)
        yield from _large_at_ends(place, tensors[place], given, promises)


def _large_at_ends(place: int, tensor: torch.Tensor, given: Setting, promises: Promises) -> Iterator[Question]:
    for axis, length in enumerate(tensor.shape):
        for index, called in ((length - 1, "last"), (0, "first")) if length > 1 else ():
            changed = tensor.clone()
            changed.select(axis, index).mul_(LARGE)
            label = f"input {place}: {LARGE:g} times larger at the {called} index of axis {axis}"
            for question in _kept(label, given, {place: changed}, promises):
                yield replace(question, apart=given.arguments)


TINY = 1e6
"""Times smaller: an epsilon in another place shows, and one of 1e-12 against a division by zero, which is anybody's, does not."""
SPREAD = 1000.0
"""The condition number of matrices whose text names none: a solver in float32 keeps four digits of seven."""


def _spread(matrices: torch.Tensor, ratio: float) -> torch.Tensor:
    """Symmetric matrices with the same eigenvectors, and eigenvalues in geometric progression, the largest one as it was."""
    values, vectors = torch.linalg.eigh(matrices.double())
    spread = values[..., -1:] * torch.logspace(-math.log10(ratio), 0.0, values.shape[-1], dtype=torch.float64)
    found = (vectors * spread.unsqueeze(-2)) @ vectors.mT
    return ((found + found.mT) / 2).to(matrices.dtype)


def _together(place: int, tensors: Sequence[torch.Tensor], given: Setting, promises: Promises) -> Iterator[Question]:
    """Rows close together where they have the same number, and far apart where they have not: a loss has nothing left to pull."""
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
                    yield replace(found, kind="sizes", otherwise=None, sizes=question.sizes, borders=True)


def whole_number_questions(given: Setting, numbers: WholeNumbers) -> Iterator[Question]:
    """Whole numbers at their limits, or marked as what does not count."""
    for label, changed in numbers.changes():
        yield Question("values", label, replace(given, arguments=with_leaves(given.arguments, changed)))


TWINS = "the first two rows alike in input"
"""A distance of zero, whose root has no derivative: what is added under the root, or left out, shows in gradients."""
DIFFERENTIATED = (MEAN, "numbers a thousand times larger", "all numbers negative", "sums that cancel")
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
    """Switches among the arguments the other way; numbers one more; twice as large where they divide an axis, as sizes of groups do."""
    lengths = {length for tensor in leaves(given.arguments) for length in tensor.shape}
    dividing = {part for part in range(GROUPS, max(lengths, default=0)) if any(length % part == 0 for length in lengths)}
    for place, value in enumerate(given.arguments):
        for key, part in _numbers(value):
            other: Any = 2 * part if part in dividing else part + 1
            if isinstance(part, (bool, float)):
                other = not part if isinstance(part, bool) else part + 0.5
            yield Question(
                "values",
                f"argument {place}{key}: {other} instead of {part}",
                replace(given, arguments=_with_number(given.arguments, place, key, other)),
            )


GROUPS = 16
"""From here on, a number that divides the length of an axis is taken for the size of its parts; smaller ones do so by chance."""


def _numbers(value: Any) -> list[tuple[str, Any]]:
    if type(value) in (int, float, bool):
        return [("", value)]
    return (
        [(f"[{number}]", part) for number, part in enumerate(value) if type(part) in (int, float, bool)]
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
