"""Stated: what a problem's text says about its inputs in plain words ("N >= 3", "dim even", "magnitude up to 1e4"); questions keep to it.

The author of a problem describes its inputs in a docstring, and a solution may rely on that. A sentence counts only if it is true of the
given inputs and its names are known: those of the constructor, the arguments, the constants of the file, or the axes of a shape, "x: (N,
C)". What a clause says, denies or leaves open, and of which input, is up to `clauses`; with which words, up to `wording`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from ..problems.calls import Setting, State, is_real, leaves
from ..problems.problem import Problem, argument_names
from . import formats, sayings, wording
from .clauses import Clause, clauses_of
from .expressions import NUMBER
from .grammar import HEDGED
from .intervals import ranges_in
from .sentences import ABOUT, NAME, prose_of, sentences_of
from .shapes import Shapes
from .statements import ALL, Statement, limits_in, statements_in


class Stated:
    """What a problem's text says about its inputs.

    Args:
        draws: the problem's own settings, from several seeds. A statement that is not true of them was misread, and doesn't count.

    Attributes:
        ties: whether it says which of equal numbers counts. rounds: whether it rounds to integers, and says how.
        exact: whether every bit counts. float32: whether it asks for sums in float32. once: whether for a single rounding, at the end.
        overflows: whether it says that what is too large becomes infinite.
        poles: whether it says that something may be infinite, as the logarithm of an empty sum is.
        specials: the places of inputs that may hold NaN, infinity or minus infinity, by these values.
        behind: which of these values may be where nothing counts, as in padding.
        magnitudes: whether subnormal numbers are among its inputs.
        ascending: the places of inputs that it calls sorted, and whether no two numbers may be equal.
        signed: the places of inputs that it says may be negative, or zero.
        any_whole: those of integers that may take any value of their type.
        numbers: that the text names.
        whole_ranges: the smallest and the largest value that integers may have, by the places of the inputs that hold them.
        empties: whether it mentions empty pieces. bounds: whether it, or one of its names, limits how long pieces may be.
        nothing: whether it says what becomes of rows that are masked as a whole.
        left: how many numbers of a row are neither -inf nor NaN at least, as far as it says.
        gradients: whether it asks for them. inference: whether it says that none are needed.
        trained: whether it speaks of training mode, which may be used without gradients.
        contiguous: whether inputs are contiguous. rows_apart: whether only their rows may lie apart.
        strided: the places of inputs that may have strides.
        lies_as_drawn: whether a function draws all inputs, contiguous, and nothing is said of strides, so that a difference in another
            layout decides nothing.
        in_place: whether it demands that inputs are updated.
        not_finite: whether it says what becomes of NaN and infinities.
        arguments: the names of the arguments, or of the parts of the only one.
        names: of inputs, by their place. limits: the smallest and the largest size that it names.
        magnitude_range: the same of magnitudes, if any. condition_number: the largest that it mentions.
        kinds: other formats that its inputs may have.
    """

    def __init__(self, problem: Problem, draws: Sequence[Setting]) -> None:
        self._problem = problem
        self._sentences = sentences_of(f"{prose_of(problem.text)}.\n\n{problem.description}")
        self._prose = ". ".join(self._sentences)
        self.arguments = argument_names(problem.text, problem.entry) if problem.text else []
        known = (*self.arguments, *(name for name in constructor_names(problem) if name not in self.arguments))
        self._clauses = clauses_of(self._sentences, known)
        values = dict(zip(self.arguments, _parts(draws[0])))
        shapes = Shapes.of(self._sentences, values)
        self._shapes, self._leading, self._fixed = shapes.axes, shapes.leading, shapes.fixed
        lengths = [self._lengths(draw) for draw in (*draws, *(test for _, test in problem.tests))]
        self._tied = {name for name in lengths[0] if all(len(found.get(name, ())) == 1 for found in lengths)}
        self._read_numbers(draws)
        self._statements = [
            statement
            for statement in (*statements_in(self._sentences, self._clauses), *self._finite())
            if all(statement.test(self._names(draw, {})) is True for draw in draws)
        ]
        self._read_words()
        self._read_layouts(draws[0])
        found = limits_in(self._sentences)
        sizes_said = [(float(match["low"]), float(match["high"])) for match in wording.MAGNITUDE_RANGE.finditer(self._prose)]
        self.magnitude_range = sizes_said[0] if sizes_said else None
        self.limits = {name: tuple(dict.fromkeys(found[name.lower()])) for name in problem.sizes if name.lower() in found}

    def _read_numbers(self, draws: Sequence[Setting]) -> None:
        """What the text says of the numbers that inputs hold."""
        tensors = leaves(draws[0].arguments)
        self.names = {place: name for name, place in self._leaves_of(draws[0]).items()}
        whole = [place for place, tensor in enumerate(tensors) if tensor.dtype in (torch.int32, torch.int64) and tensor.dim()]
        not_held = {sentence for sentence in self._sentences if wording.NOT_HELD.search(wording.PASSED_OVER.sub("", sentence))}
        ignored = [clause for clause in self._clauses if clause.sentence in not_held]
        held = [clause for clause in self._clauses if clause.sentence not in not_held]
        self._of_any_shape = self._places(draws[0], wording.ANY_SHAPE, self._clauses)
        self.specials = self._specials(draws[0], held)
        self.behind = tuple(value for value, words in wording.SPECIALS.items() if any(clause.mentions(words) for clause in ignored))
        self.ascending = self._ascending(draws)
        self.signed = self._signed(draws[0], held)
        any_whole = [
            clause for clause in self._clauses if clause.mentions(wording.ANY_WHOLE) and not clause.is_of_results(wording.ANY_WHOLE)
        ]
        self.any_whole = self._meant(draws[0], any_whole, among=whole)
        self.whole_ranges = dict(self._ranges_of(draws, whole))
        self.numbers = tuple({float(word.replace("_", "")) for word in re.findall(NUMBER, self._prose)})
        self.kinds = self._kinds({tensor.dtype for tensor in tensors if is_real(tensor)})
        self.left = sayings.left_in(self._clauses, self._names(draws[0], {}))

    def _read_words(self) -> None:
        """What a few words say of the problem as a whole."""
        problem = self._problem
        self.ties = any(sayings.is_of_ties(clause) for clause in self._clauses)
        lowest = (
            name for found in ranges_in(self._clauses) for name in found.names if found.bounds[0] == 0 and name in self.names.values()
        )
        self.empties = (
            self._says(wording.EMPTY)
            or any(sayings.counts_nothing(clause) for clause in self._clauses)
            or any(wording.COUNTS_PIECES.search(name) for name in lowest)
        )
        # Whoever draws inputs names what is drawn, and promises nothing.
        sizes = () if problem.format == "GPU MODE" else problem.sizes
        named = {*sizes, *constructor_names(problem), *self.arguments}
        self.bounds = wording.BOUND.search(self._prose) is not None or any(wording.NAMED_BOUND.search(name) for name in named)
        self.nothing = any(clause.says(wording.NOTHING) and not wording.TILES.search(clause.words) for clause in self._clauses)
        demands = [clause for clause in self._clauses if not wording.ALLOWED.search(clause.words)]
        self.once = any(clause.says(wording.ONCE) for clause in demands)
        self.float32 = self.once or any(clause.says(wording.FLOAT32) for clause in demands)
        self.rounds = wording.ROUNDS.search(self._prose) is not None
        self.condition_number = max((float(match["of"]) for match in wording.CONDITION_NUMBER.finditer(self._prose)), default=None)
        self.exact = any(clause.says(wording.EXACT) and not clause.is_conditional(wording.EXACT) for clause in self._clauses)
        self.magnitudes = self._says(wording.MAGNITUDES)
        self.overflows = wording.OVERFLOWS.search(self._prose) is not None
        self.poles = any(map(sayings.may_be_infinite, self._clauses))
        self.inference = any(map(sayings.is_inference, self._clauses)) or wording.INFERENCE.search(self._prose) is not None
        self.gradients = self._says(wording.GRADIENTS)
        self.inference &= not self.gradients
        self.trained = self._says(wording.TRAINED)
        self.in_place = any(sayings.changes_inputs(clause, self.names.values()) for clause in self._clauses)
        self.not_finite = any(map(sayings.says_what_becomes_of_not_finite, self._clauses))

    def _read_layouts(self, draw: Setting) -> None:
        """How inputs lie in memory."""
        self.rows_apart = wording.ROWS_APART.search(self._prose) is not None
        is_strided = any(map(sayings.has_strides, self._clauses))
        self.contiguous = not is_strided and any(map(sayings.is_contiguous, self._clauses))
        self.strided = self._may_have_strides(draw)
        is_laid_out = all(tensor.is_contiguous() for tensor in leaves(draw.arguments))
        self.lies_as_drawn = self._problem.format == "GPU MODE" and is_laid_out and not is_strided

    def compared(self, draw: Setting) -> list[tuple[int, int]]:
        """Pairs of inputs that the text compares with each other, "edges[j] <= x", so that it says what equal numbers mean."""
        names = self._leaves_of(draw)
        found = [match for sentence in self._sentences for match in wording.COMPARED.finditer(sentence)]
        pairs = [tuple(sorted(names[match[side]] for side in ("one", "other") if match[side] in names)) for match in found]
        return [(pair[0], pair[1]) for pair in dict.fromkeys(pairs) if len(set(pair)) == 2]

    def may_be_left_out(self, name: str) -> bool:
        """Whether the text says so of an argument alone."""
        return any(sayings.may_be_left_out(clause, name) for clause in self._clauses)

    def _finite(self) -> Iterator[Statement]:
        """The statement that all inputs are finite, if some clause says so of inputs and none says what others may hold."""
        if sayings.are_finite(self._clauses):
            yield Statement("finite", lambda names: all(bool(torch.isfinite(tensor).all()) for tensor in names[ALL]))

    def loaded(self, buffers: Collection[str]) -> set[str]:
        """The buffers that a checkpoint may fill with other numbers: those that the sentence about it names.

        Or those that the sentence before names, if this one says "it" and is about nothing else; all, if it speaks of buffers as such.
        """
        found: set[str] = set()
        before = dict(zip(self._sentences, ("", *self._sentences)))
        known = (*self.arguments, *{name.rpartition(".")[2] for name in buffers})
        for clause in (clause for clause in clauses_of(self._sentences, known) if clause.says(wording.LOADED)):
            others = re.findall(NAME, clause.sentence)[1:]  # the first is that of the item in which the sentence stands
            is_of_it = wording.IT.search(clause.sentence) and set(others).isdisjoint(self.arguments)
            words = set() if wording.FIXED.search(clause.words) else {*re.findall(NAME, clause.words), *clause.names}
            own = {name for name in buffers if name.rpartition(".")[2] in words}
            if not own and re.search(r"\bbuffers\b", clause.words, re.IGNORECASE) and words:
                own = set(buffers)
            if not own and is_of_it and not wording.WEIGHTS.search(clause.sentence):
                words = set(re.findall(NAME, before[clause.sentence]))
                own = {name for name in buffers if name.rpartition(".")[2] in words}
            found |= own
        return found

    def open_axes(self, draw: Setting) -> dict[int, int]:
        """The inputs that may have any number of leading axes, "x: (..., D)", each with the number of its other axes."""
        names = self._leaves_of(draw)
        shaped = {names[name] for name in self._shapes if name in names}
        free = dict.fromkeys(set(self._of_any_shape) - shaped, 0)
        return free | {names[name]: axes for name, axes in self._leading.items() if name in names}

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
        return {name for name, value in zip(self.arguments, _parts(draw)) if not isinstance(value, torch.Tensor)}

    def _leaves_of(self, draw: Setting) -> dict[str, int]:
        """The place of each argument that is a tensor, among all tensors."""
        names: dict[str, int] = {}
        at = 0
        for name, value in zip(self.arguments, _parts(draw)):
            names |= {name: at} if isinstance(value, torch.Tensor) else {}
            at += len(leaves((value,)))
        return names

    def _may_have_strides(self, draw: Setting) -> tuple[int, ...]:
        """The places of inputs that may have strides.

        If the text says that all others are contiguous, or describes each input in a line of its own, these are the inputs that it calls
        strided; otherwise all that it doesn't call contiguous.
        """
        places = range(len(leaves(draw.arguments)))
        said = [clause for clause in self._clauses if sayings.has_strides(clause)]
        strided = self._meant(draw, said, among=places)
        sentences = {clause.sentence for clause in said}
        plain = [clause for clause in self._clauses if clause.sentence not in sentences]
        side_by_side = self._places(draw, wording.CONTIGUOUS, plain, among=places)
        if strided and (wording.REST.search(self._prose) or all(self._is_of_one_input(clause.sentence, draw) for clause in said)):
            return tuple(place for place in strided if place not in side_by_side)
        return tuple(place for place in places if place not in side_by_side)

    def _is_of_one_input(self, sentence: str, draw: Setting) -> bool:
        """Whether a sentence belongs to the line that describes an input: "x: float32 [n], any strides"."""
        about = re.match(NAME, sentence)
        items = {clause.item for clause in self._clauses if clause.sentence == sentence}
        if about is None or about[0] not in self._leaves_of(draw) or len(items) > 1:
            return False
        return any(line[1] == about[0] for other in self._sentences if (line := ABOUT.match(other)))

    def _says(self, words: re.Pattern[str]) -> bool:
        """Whether some clause says so, without denying it."""
        return any(clause.says(words) for clause in self._clauses)

    @property
    def words(self) -> tuple[str, ...]:
        """The statements, a sentence for each."""
        return tuple(f'The problem says: "{words}".' for words in dict.fromkeys(statement.words for statement in self._statements))

    def allows(self, setting: Setting, sizes: Mapping[str, int]) -> bool:
        """Whether a setting agrees with every statement.

        Args:
            sizes: those that differ from the problem's.
        """
        if not self._agree(setting):
            return False
        names = self._names(setting, sizes) if self._statements else {}
        return not any(statement.test(names) is False for statement in self._statements)

    def _agree(self, setting: Setting) -> bool:
        """Whether axes of one name are as long as each other, and as the constructor's argument of that name says."""
        return all(len(lengths) < 2 for name, lengths in self._lengths(setting).items() if name in self._tied)

    def _lengths(self, setting: Setting) -> dict[str, set[int]]:
        """The lengths of the axes of each name, and the constructor's argument of that name."""
        values, found = dict(zip(self.arguments, _parts(setting))), dict[str, set[int]]()
        for name, axes in self._shapes.items():
            value = values.get(name)
            if isinstance(value, torch.Tensor) and value.dim() >= len(axes):
                for axis, length in zip(axes, value.shape[value.dim() - len(axes) :]):
                    found.setdefault(axis, set()).add(length)
        for name, value in zip(constructor_names(self._problem), setting.init):
            if name in found and type(value) is int:
                found[name].add(value)
        return {name: lengths for name, lengths in found.items() if name}

    def allowed(self, setting: Setting, state: State, sizes: Mapping[str, int]) -> State | None:
        """Other parameters that agree with every statement, or None.

        Where these don't: rounded to quarters, since some may have to be multiples of a number; or with the signs that they have now.
        """
        quarters = {name: (4 * tensor).round() / 4 if is_real(tensor) else tensor for name, tensor in state.items()}
        signed = {name: _with_signs_of(setting.state.get(name), tensor) for name, tensor in state.items()}
        return next((found for found in (state, quarters, signed) if self.allows(replace(setting, state=found), sizes)), None)

    def _names(self, setting: Setting, sizes: Mapping[str, int]) -> dict[str, Any]:
        """What each name of the text stands for."""
        found: dict[str, Any] = {name: size for name, size in {**self._problem.sizes, **sizes}.items() if name.isidentifier()}
        found |= {name: tensor for name, tensor in setting.state.items() if name.isidentifier()}
        found |= dict(zip(constructor_names(self._problem), setting.init))
        values = dict(zip(self.arguments, _parts(setting)))
        for name, axes in self._shapes.items():
            value = values.get(name)
            if isinstance(value, torch.Tensor) and value.dim() >= len(axes):
                lengths = value.shape[value.dim() - len(axes) :]
                found |= {axis: length for axis, length in zip(axes, lengths) if axis}
        numbers = {name: value for name, value in values.items() if isinstance(value, (int, float))}
        found = {**values, **found, **numbers}  # a number that is passed may have been changed without its size
        found[ALL] = [tensor for tensor in leaves(setting.arguments) if is_real(tensor)]
        return found

    def _ranges_of(self, draws: Sequence[Setting], whole: Collection[int]) -> Iterator[tuple[int, tuple[int, int]]]:
        """The range of each input of integers that a clause about it gives in numbers."""
        names = {name: place for name, place in self._leaves_of(draws[0]).items() if place in whole}
        for found in ranges_in(self._clauses):
            low, high = found.bounds
            for place in (names[name] for name in found.names if name in names):
                drawn = [leaves(draw.arguments)[place] for draw in draws]
                if low is not None and high is not None and all(bool(((low <= tensor) & (tensor <= high)).all()) for tensor in drawn):
                    yield place, (low, high)

    def _kinds(self, own: Collection[torch.dtype]) -> tuple[torch.dtype, ...]:
        """The other formats that the text names beside the only one of the inputs."""
        said = {formats.KINDS[word.lower()] for clause in self._clauses for word in sayings.kinds_in(clause)}
        is_one_of_them = len(own) == 1 and said.issuperset(own)
        return tuple(kind for kind in dict.fromkeys(formats.KINDS.values()) if is_one_of_them and kind in said - set(own))

    def _specials(self, draw: Setting, held: Sequence[Clause]) -> dict[float, tuple[int, ...]]:
        """Which inputs may hold NaN or an infinity.

        An input that one sentence calls finite may hold them only where another sentence names it: that a maximum of nothing is -inf is
        said of results.
        """
        excepted = (*wording.SPECIALS.values(), wording.MANY_LEFT, HEDGED, wording.EXCEPT)
        plain = [clause for clause in self._clauses if not any(words.search(clause.sentence) for words in excepted)]
        finite = self._places(draw, wording.FINITE, plain, unless=range(len(leaves(draw.arguments))))
        found = {value: self._places(draw, words, held, unless=finite) for value, words in wording.SPECIALS.items()}
        return {value: places for value, places in found.items() if places}

    def _signed(self, draw: Setting, held: Sequence[Clause]) -> Sequence[int]:
        """Which inputs may be negative, or zero: all if a clause says of no input in particular that zeros are among its numbers."""
        zeros = [clause for clause in self._clauses if clause.says(wording.ZEROS) and not sayings.counts_nothing(clause)]
        if any(not clause.names and not clause.is_of_results(wording.ZEROS) for clause in zeros):
            return [place for place, tensor in enumerate(leaves(draw.arguments)) if is_real(tensor)]
        return tuple(sorted({*self._meant(draw, zeros), *self._places(draw, wording.SIGNED, held)}))

    def _ascending(self, draws: Sequence[Setting]) -> dict[int, bool]:
        """Which inputs the text calls sorted, and whether strictly, as far as the draws show them so."""
        among = [place for place, tensor in enumerate(leaves(draws[0].arguments)) if tensor.dtype is not torch.bool and tensor.dim()]
        plain = [
            clause
            for clause in self._clauses
            if not wording.DESCENDING.search(clause.sentence)
            and clause.is_of_inputs(wording.ASCENDING)
            and not clause.is_conditional(wording.ASCENDING)
        ]
        sorted_places = self._places(draws[0], wording.ASCENDING, plain, among=among)
        strict = [clause for clause in self._clauses if clause.says(wording.STRICTLY) or clause.denies(wording.REPEATS)]
        strictly = self._meant(draws[0], strict, among=sorted_places)
        found: dict[int, bool] = {}
        for place in sorted_places:
            tensors = [leaves(draw.arguments)[place] for draw in draws]
            if all(_ascends(tensor) for tensor in tensors):
                found[place] = place in strictly and all(bool((tensor.diff(dim=-1) > 0).all()) for tensor in tensors)
        return found

    def _places(
        self,
        draw: Setting,
        words: re.Pattern[str],
        clauses: Sequence[Clause],
        among: Collection[int] | None = None,
        unless: Collection[int] = (),
    ) -> tuple[int, ...]:
        """The inputs that some clause mentions with these words; the name may be left out if there is only one input.

        Args:
            among: the inputs to choose from; by default the floating ones. unless: inputs that are meant only where they are named.
        """
        said = [
            clause.about_equation(words)
            for clause in clauses
            if clause.says(words) and (not clause.is_of_results(words) or wording.PROPAGATES.search(clause.words))
        ]
        return self._meant(draw, said, among, unless)

    def _meant(
        self, draw: Setting, clauses: Sequence[Clause], among: Collection[int] | None = None, unless: Collection[int] = ()
    ) -> tuple[int, ...]:
        """The inputs that some clauses are about."""
        floats = {place for place, tensor in enumerate(leaves(draw.arguments)) if is_real(tensor) and tensor.dim()}
        floats = floats if among is None else set(among)
        names = self._leaves_of(draw)
        found: set[int] = set()
        for clause in clauses:
            found |= {names[name] for name in clause.names if name in names}
            is_of_all = clause.is_of_all or wording.PROPAGATES.search(clause.words)
            if not clause.names and (len(floats) == 1 or is_of_all):
                found |= floats - set(unless)
        return tuple(sorted(found & floats))


def constructor_names(problem: Problem) -> tuple[str, ...]:
    """The names of the arguments of a problem's constructor; none where it has no constructor, or they can't be read."""
    try:
        return tuple(inspect.signature(problem.constructor).parameters) if problem.constructor is not None else ()
    except (TypeError, ValueError):
        return ()


def _with_signs_of(known: torch.Tensor | None, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor with the signs of another of its shape, if there is one."""
    return tensor.abs().copysign(known) if known is not None and known.shape == tensor.shape and is_real(tensor) else tensor


def _ascends(tensor: torch.Tensor) -> bool:
    """Whether numbers along the last axis, of which there are several, never fall."""
    return tensor.shape[-1] > 1 and tensor.numel() > 0 and bool((tensor.diff(dim=-1) >= 0).all())


def _parts(setting: Setting) -> tuple[Any, ...]:
    """The arguments; or the parts of the only one, if that is a tuple, as in problems of GPU MODE."""
    only = setting.arguments[0] if len(setting.arguments) == 1 else None
    if isinstance(only, Mapping):
        return tuple(only.values())
    return tuple(only) if isinstance(only, (tuple, list)) else setting.arguments
