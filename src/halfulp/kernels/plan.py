"""Plan: the order of the questions, so that the most telling ones are asked before time runs out."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import torch

from .answers import LONGER
from .basis import Basis, drawn
from .problems.calls import ALL, OF_INPUTS, OF_PARAMETERS, ROWS_ALIKE, Setting, is_real, leaves, state_of, with_leaves
from .problems.problem import count_of
from .questions.arguments import number_questions, optional_questions
from .questions.axes import axis_questions, rank_questions, single_axis_questions
from .questions.bounds import bound_questions
from .questions.drawing import REFUSALS
from .questions.ignored import ignored_questions
from .questions.longer import longer_questions
from .questions.magnitudes import magnitude_questions
from .questions.masks import has_rows_of_nothing, known_marks, mask_questions
from .questions.pairs import extremes, far_questions, longer_constructor_questions
from .questions.parameters import constructor_questions, marks_of, moved, parameter_questions, times
from .questions.pieces import piece_questions
from .questions.proportions import TOGETHER
from .questions.question import EQUAL, FAR_FROM_ZERO, FAR_MEAN, LARGE, MEAN, Question
from .questions.sizes import longer_size_questions, size_questions
from .questions.texts import format_questions, half_way_questions, text_questions, unit_questions
from .questions.values import (
    alike_questions,
    border_questions,
    gradient_questions,
    grid_questions,
    largest_questions,
    leading_questions,
    single_questions,
    training_questions,
    value_questions,
    whole_number_questions,
    whole_range_questions,
)
from .questions.whole_numbers import WholeNumbers
from .responses import Responses
from .result import Asked
from .trials.trial import RECORDS_NONE, REFERENCE_RECORDS_NONE, Trials

MOST_NEAR = 20
"""How many near sizes (one more, several times as large, one less) are asked before other values: they say the most, and time may run
out."""
MOST_IGNORED = 4
"""On how many settings to look for numbers that don't affect the result: each costs a few calls of the reference."""
MOST_TESTS = 4
"""How many other tests of the problem are asked, the first ones: each repeats what was asked of the first test."""
OF_A_TEST = TOGETHER + 6
"""How many sizes are asked of each other test, the nearest first."""
MOST_ALIKE = 1
"""How many questions about whole numbers that every draw gives alike are asked before gradients. One shows whether they are read at all."""


class Plan:
    """The questions about one solution.

    Args:
        basis: from which they start. trials: of the solution. tables: buffers that are no inputs, see `tables_of`.
        blocks, bounds: numbers of the solution's source, which may be the sizes of its blocks, or magnitudes that it goes by.
        has_modes: whether training mode computes something else.
        asked: the answers so far, to which who asks adds each.
        speaks_of_nan: whether the solution's source does.
    """

    def __init__(
        self,
        basis: Basis,
        trials: Trials,
        *,
        tables: Collection[str],
        blocks: Sequence[int],
        bounds: Sequence[float],
        seed: int,
        has_modes: bool,
        asked: Sequence[Asked],
        speaks_of_nan: bool = False,
    ) -> None:
        self.basis, self.trials, self.responses = basis, trials, Responses(basis, trials)
        self.problem, self.given, self.promises, self.stated = basis.problem, basis.given, basis.promises, basis.stated
        self.tables, self.blocks, self.bounds, self.seed, self.has_modes = tables, blocks, bounds, seed, has_modes
        floats = [tensor for tensor in (*leaves(self.given.arguments), *self.given.state.values()) if is_real(tensor)]
        self.is_differentiable = self.problem.differentiable and not self.stated.inference and bool(floats)
        self.asked, self.speaks_of_nan = asked, speaks_of_nan
        self._upwards = False
        self._early: list[Question] = []
        self._first_values = set[str]()
        self._sized: list[Question] = []
        self._at_first_sizes: list[Question] = []
        self._refused = set[str]()
        self._has_large_gradients = False

    def on_given(self) -> Iterator[Question]:
        """On the given inputs: other signs, formats and parameters; gradients; training mode."""
        given = self.given
        self._upwards = self.trials.names is not None and not self.responses.is_defined(moved(given.state, self.seed, self.tables))
        parameters = self._parameters() if self.trials.names is not None else iter(())
        yield from itertools.islice(parameters, 1)  # weights that are kept from the first call
        yield from map(self._moved, itertools.islice(filter(self._is_of_alike, self._whole), MOST_ALIKE))
        gradients_are_right = False
        if self.is_differentiable:
            before = len(self.asked)
            yield Question("gradients", "gradients of parameters and inputs", given, gradients=ALL)
            gradients_are_right = self._is_right(before)
            self.is_differentiable = all(entry.note not in (RECORDS_NONE, REFERENCE_RECORDS_NONE) for entry in self.asked[before:])
        # E[x²] - E[x]² is common, and shows at a large mean: on other large numbers it loses some digits, which takes long to excuse.
        for question in itertools.islice((found for found in self._values() if found.label == MEAN), 1):
            self._first_values.add(MEAN)
            self._early.append(self._moved(question))
            yield self._early[-1]
        yield from self.leading()
        # Many kernels ignore strides, or use those of the first input for all.
        for question in itertools.islice((found for found in self._values() if found.kind == "layout"), 2):
            self._first_values.add(question.label)
            yield self._moved(question)
        if gradients_are_right:
            yield from self._other_gradients()
            large = (self._moved(question) for question in self._values() if question.label == LARGE)
            yield from self._gradients(list(itertools.islice(large, 1)))
            self._has_large_gradients = True
        if self.is_differentiable and self.has_modes:
            yield Question("gradients", "gradients in training mode", replace(given, training=True), gradients=ALL)
        yield from parameters
        yield from format_questions(given, self.promises, self.stated)
        if self.trials.names is not None and self.responses.has_buffers(self.tables):
            yield Question("mode", "buffers after evaluation mode", given, buffers=True)
        if self.has_modes:
            yield Question("mode", "training mode", replace(given, training=True))
            other = next(self._parameters(), None)
            if other is not None:
                yield Question("mode", "training mode, parameter values changed", replace(other.setting, training=True))
            yield from training_questions(self._early)

    def leading(self) -> Iterator[Question]:
        """The most telling values; equal numbers where the text says which counts, half-way ones where it speaks of rounding."""
        yield from self._allowed(leading_questions(self.given, self.promises))
        equal = (question for question in self._values() if question.label == EQUAL)
        half_way = self._allowed(half_way_questions(self.given, self.promises, self.stated))
        for question in itertools.chain(itertools.islice(equal, 1) if self.stated.ties else (), itertools.islice(half_way, 1)):
            if question.label not in self._first_values:
                self._first_values.add(question.label)
                yield self._moved(question)

    def _other_gradients(self) -> Iterator[Question]:
        """Gradients for an incoming gradient with a stride of zero, as a sum makes it; of parameters alone; of inputs alone."""
        ways = {"gradients of a sum over the first axis": ROWS_ALIKE}
        if self.given.state:
            ways |= {"gradients of parameters alone": OF_PARAMETERS, "gradients of inputs alone": OF_INPUTS}
        for label, way in ways.items():
            yield Question("gradients", label, self.given, gradients=way, promised=True)

    def first_sizes(self) -> Iterator[Question]:
        """One question about other sizes, where none was asked so far."""
        if not any(entry.kind == "sizes" for entry in self.asked):
            yield from self._at_sizes(itertools.islice(self._sizes, 1), self._at_first_sizes)

    def elsewhere(self) -> Iterator[Question]:
        """Other constructor arguments, sizes, values and layouts; then gradients on those."""
        early = list(filter(self._is_of_alike, self._whole))
        yield from map(self._moved, early[MOST_ALIKE:])
        asked = {label for label, _ in self.problem.tests}  # as they are, with the given inputs
        for other in (found for found in self.problem.others if found.name not in asked):
            with contextlib.suppress(*REFUSALS):
                yield Question("given", other.name, other.draw(self.seed, {}))
        for plan in self._tests:
            yield from self._of(plan, plan.leading())
        yield from self._constructors()
        yield from map(self._moved, self._allowed(bound_questions(self.given, self.promises, self.bounds)))
        kept = [*self._early, *self._at_first_sizes]
        near = itertools.islice(self._sizes, min(MOST_NEAR, 3 * len(self.problem.sizes) + TOGETHER))
        yield from self._at_sizes(near, kept)
        yield from longer_questions(self.given, self.promises, self.problem.constants) if not self.problem.sizes else ()
        own = self.problem.sizes
        doubled = [question for question in kept if any(size == 2 * own.get(name, 0) for name, size in question.sizes.items())]
        kept_as_is = set(self.given.state) if self.trials.names is None else self.tables
        yield from largest_questions([Question("values", "the given sizes", self.given), *doubled], self.promises, kept_as_is)
        for question in axis_questions(self.given, self._named_axes):
            kept.append(self._moved(question))
            yield kept[-1]
        yield from self._shapes_and_arguments()
        numbers = number_questions(self.given, self.stated.arguments)
        yield from (question for question in numbers if self.responses.follows(question.setting))
        for question in magnitude_questions(self.problem, self.given, self.seed, self.responses.seconds, self.stated):
            yield from self._with_state(question)
        yield from unit_questions(self.given, self.promises, self.stated, self.tables) if self.trials.names is not None else ()
        yield from grid_questions(self.given, self.promises, self.stated)
        yield from border_questions(kept[len(self._early) :], self.promises)
        values = (question for question in self._values() if question.label not in self._first_values)
        for question in itertools.chain(values, (question for question in self._whole if question not in early)):
            kept.append(self._moved(question))
            yield kept[-1]
        state = times(self.given.state, 2, self.tables) if self.trials.names is not None else self.given.state
        yield from alike_questions(self.given, self.promises, state)
        yield from self._all_far()
        for question in self._ignored([self.given, *(question.setting for question in self._whole)]):
            kept.append(self._moved(question))
            yield kept[-1]
        if self.has_modes:
            yield from training_questions([question for question in kept if question not in self._early])
        yield from self._gradients(kept)
        kept.clear()
        yield from self._at_sizes(self._sizes, kept)
        for question in single_questions(self.given, self.promises, self.stated):
            kept.append(self._moved(question))
            yield kept[-1]
        yield from self._gradients(kept)
        yield from self._together()

    @functools.cached_property
    def _sizes(self) -> Iterator[Question]:
        """Other sizes, near ones first; those of names in `_refused` are left out."""
        fixed, limits = self._fixed_axes, self.stated.limits
        return size_questions(self.problem, self.given, self.promises, self.seed, self.blocks, self._refused, fixed, limits)

    @functools.cached_property
    def _fixed_axes(self) -> set[tuple[int, int]]:
        """Inputs and axes whose length stays: the text says so, or the reference has a name for the number."""
        shapes = enumerate(tensor.shape for tensor in leaves(self.given.arguments))
        constant = {(place, axis) for place, shape in shapes for axis, length in enumerate(shape) if length in self.problem.constants}
        return self.stated.fixed_axes(self.given) | constant

    @property
    def _named_axes(self) -> dict[str, list[tuple[int, int]]]:
        """Inputs and axes that the text has a name for, but for those whose length stays."""
        named = self.stated.named_axes(self.given)
        return {name: places for name, places in named.items() if self._fixed_axes.isdisjoint(places)}

    def _shapes_and_arguments(self) -> Iterator[Question]:
        """Axes of one, other leading axes, and arguments left out."""
        axes = self._named_axes
        yield from map(self._moved, single_axis_questions(self.given, axes, self.promises, self.responses.accepts))
        yield from rank_questions(self.given, self.stated.open_axes(self.given))
        another = functools.partial(self.basis.other_draw, self.seed + 1)
        target = self.trials.reference(self.given.init)
        yield from map(self._moved, optional_questions(self.given, another, target, self.stated.may_be_left_out))

    def _at_sizes(self, sizes: Iterator[Question], kept: list[Question]) -> Iterator[Question]:
        """Questions about other sizes, each with the parameters and ranges that go with it.

        Args:
            kept: gets those on which gradients may be asked.
        """
        for question in sizes:
            before = len(self.asked)
            for found in self._with_state(question):
                yield found
                if self._is_right(before):
                    self._sized.append(found)
                    kept += [found] if count_of(found.setting) <= LONGER * count_of(self.given) else []
                yield from whole_range_questions(found, self.stated.any_whole)
            if len(self.asked) == before or self.asked[before].answer == "no answer":
                self._refused.update(question.sizes)

    def _together(self) -> Iterator[Question]:
        """Other tests of the problem at other sizes, and two changes at a time."""
        for plan in self._tests:
            yield from self._of(plan, plan.of_a_test())
        sizes = extremes(self._sized)
        for question in sizes:
            for found in mask_questions(question.setting, self.promises, self.stated):
                yield replace(found, label=f"{question.label}, {found.label}", far=question.far, sizes=question.sizes)
        constructors = list(constructor_questions(self.problem, self.given))
        far = functools.partial(far_questions, has_modes=self.has_modes, has_ties=self.stated.ties)
        yield from far(sizes, self.promises, self.seed)
        built = [found for question in constructors for found in self._with_state(question)]
        yield from far(built, self.promises, self.seed)
        for question in longer_constructor_questions(self.given, constructors, sizes):
            yield from self._with_state(question)

    @staticmethod
    def _of(plan: Plan, questions: Iterator[Question]) -> Iterator[Question]:
        """The questions about another test, with its name before theirs."""
        for question in questions:
            label = f"{plan.problem.name}: {question.label}"
            yield replace(question, label=label, sizes={**plan.problem.sizes, **question.sizes}, start=plan.given)

    @functools.cached_property
    def _tests(self) -> list[Plan]:
        """The plans of other tests of the problem."""
        return list(self._others())

    def _others(self) -> Iterator[Plan]:
        for other in self.problem.others[:MOST_TESTS]:
            try:
                basis = Basis.of(other, drawn(other, self.seed), self.trials.reference)
            except REFUSALS:
                continue
            yield Plan(
                basis, self.trials, tables=(), blocks=self.blocks, bounds=self.bounds, seed=self.seed, has_modes=False, asked=self.asked
            )

    def of_a_test(self) -> Iterator[Question]:
        """Near sizes, one several times as large, and values: for a test that switches something on."""
        near = size_questions(self.problem, self.given, self.promises, self.seed, limits=self.stated.limits)
        sizes = itertools.chain(itertools.islice(near, OF_A_TEST), longer_size_questions(self.problem, self.seed))
        values = (question for question in self._values() if question.kind == "values" and question.label not in self._first_values)
        for question in itertools.chain(sizes, values, self._whole):
            if not has_rows_of_nothing(question.setting, self.given, self.stated):
                yield question

    def _is_of_alike(self, question: Question) -> bool:
        """Whether it changes only what every draw gives alike: a solution may have taken that for granted."""
        return self.promises.alike.issuperset(self._changed(question))

    def _is_right(self, before: int) -> bool:
        """Whether a question was asked after that many answers, and answered right; others may have followed it."""
        return len(self.asked) > before and self.asked[before].answer == "right"

    def _parameters(self) -> Iterator[Question]:
        for question in parameter_questions(self.given, self.seed, self.tables, upwards=self._upwards, ties=self.stated.ties):
            found = self.stated.allowed(self.given, question.setting.state, {})
            if found is not None:
                yield replace(question, setting=replace(question.setting, state=found))

    def _all_far(self) -> Iterator[Question]:
        """Inputs and parameters shifted from zero by the same number: their distances become small differences of large numbers."""
        given = enumerate(leaves(self.given.arguments))
        floats = {place: tensor for place, tensor in given if is_real(tensor) and torch.isfinite(tensor).all()}
        state = {name: tensor for name, tensor in self.given.state.items() if is_real(tensor) and name not in self.tables}
        spread = max((float(tensor.double().std(correction=0)) for tensor in floats.values() if tensor.numel()), default=0.0)
        state = state if self.trials.names is not None else {}
        if not spread or len(floats) + len(state) < 2:
            return
        away = FAR_MEAN * spread
        arguments = self.promises.kept(with_leaves(self.given.arguments, {place: tensor + away for place, tensor in floats.items()}))
        if arguments is not None:
            setting = replace(self.given, arguments=arguments, state={**self.given.state, **{name: state[name] + away for name in state}})
            yield Question("values", f"{FAR_FROM_ZERO}, the same in all inputs, parameters and buffers", setting)

    def _ignored(self, settings: Sequence[Setting]) -> Iterator[Question]:
        """Numbers that don't affect the result, on the first setting that has any: there are none where all lengths are full."""
        target = self.trials.reference(self.given.init)
        for setting in settings[:MOST_IGNORED]:
            found = list(ignored_questions(setting, self.promises, target, self.trials.expected, self.stated.behind))
            if found:
                yield from found
                return

    def _allowed(self, questions: Iterator[Question]) -> Iterator[Question]:
        """The questions, with one input restored where that makes them allowed: one that must be positive says nothing of others."""
        own = leaves(self.given.arguments)
        for question in questions:
            if self.stated.allows(question.setting, question.sizes):
                yield question
                continue
            changed = sorted(self._changed(question))
            for place in changed if len(changed) > 1 else ():
                arguments = with_leaves(question.setting.arguments, {place: own[place]})
                setting = replace(question.setting, arguments=arguments)
                if self.stated.allows(setting, question.sizes):
                    yield replace(question, setting=setting)
                    break

    def _values(self) -> Iterator[Question]:
        return self._allowed(self._all_values())

    def _all_values(self) -> Iterator[Question]:
        yield from piece_questions(self.given, self.promises, self.stated)
        yield from text_questions(self.given, self.promises, self.stated)
        marks = known_marks(self.problem.text, self.stated.numbers_of(self.given)) | marks_of(self.problem, self.given).keys()
        yield from mask_questions(self.given, self.promises, self.stated, marks)
        yield from value_questions(self.given, self.promises, self.stated, self.seed, speaks_of_nan=self.speaks_of_nan)

    def _gradients(self, asked: Sequence[Question]) -> Iterator[Question]:
        if self.is_differentiable:
            yield from gradient_questions([question for question in asked if not (self._has_large_gradients and question.label == LARGE)])

    def _constructors(self) -> Iterator[Question]:
        """Other arguments of the constructor; a larger one only where a smaller one makes a difference: it may be out of range.

        A frequency eight times the highest of a filter bank is beyond what samples can hold; one an eighth as high is not.
        """
        heeded: set[str] = set()
        for question in constructor_questions(self.problem, self.given):
            for found in self._with_state(question) if question.of not in heeded else ():
                before = len(self.asked)
                yield found
                if not question.of or not self._is_right(before):
                    continue
                if self.responses.differs(question.setting):
                    heeded.add(question.of)
                elif self.has_modes:  # as a momentum, which evaluation mode has no use for
                    training = replace(found.setting, training=True)
                    yield replace(found, kind="mode", label=f"{found.label}, in training mode", setting=training, otherwise=None)

    @functools.cached_property
    def _whole(self) -> list[Question]:
        draws = [self.given, *self.basis.others(self.seed)]
        marks = marks_of(self.problem, self.given)
        numbers = WholeNumbers(draws, self.responses.results, self.problem.text, marks, self.problem.entry, self.stated)
        return list(whole_number_questions(self.given, numbers))

    def _changed(self, question: Question) -> set[int]:
        """The places of the argument tensors that were changed."""
        pairs = zip(leaves(question.setting.arguments), leaves(self.given.arguments))
        return {place for place, (new, old) in enumerate(pairs) if new is not old}

    def _with_state(self, question: Question) -> Iterator[Question]:
        """The question with the parameters that its constructor arguments lead to; nothing if the reference refuses these.

        Inputs that start as all zeros, such as a state, get other values.
        """
        setting = question.setting
        if not self.stated.allows(setting, question.sizes) or has_rows_of_nothing(setting, self.given, self.stated):
            return
        try:
            state = self.given.state if setting.init == self.given.init else state_of(self.trials.reference(setting.init))
        except Exception:  # whatever a constructor raises
            return
        question = replace(question, setting=replace(setting, state=state))
        if any("#" in name for name in question.sizes) and self.responses.ignores_growth(question.setting):
            return
        if any(size == 1 and not self.responses.may_grow(name, self.seed) for name, size in question.sizes.items()):
            return
        found = self._moved(question)
        started = {
            place: torch.randn(tensor.shape, generator=torch.Generator().manual_seed(self.seed + place)).to(tensor.dtype)
            for place, tensor in enumerate(leaves(setting.arguments))
            if place in self.promises.zeros and is_real(tensor) and not bool((tensor != 0).any())
        }
        if started:
            arguments = with_leaves(setting.arguments, started)
            found = replace(found, setting=replace(found.setting, arguments=arguments), otherwise=question.setting)
        yield found

    def _moved(self, question: Question) -> Question:
        """The question with changed parameters: initial zeros, ones and tiny scales hide mistakes."""
        state = question.setting.state
        if not state or self.trials.names is None:
            return question
        found = self.stated.allowed(question.setting, moved(state, self.seed, self.tables, upwards=self._upwards), question.sizes)
        return question if found is None else replace(question, setting=replace(question.setting, state=found), otherwise=question.setting)
