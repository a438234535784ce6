"""Stated: what a problem's text says about its inputs in plain words ("N >= 3", "dim even", "magnitude up to 1e4"); questions keep to it.

The author of a problem describes its inputs in a docstring, and a solution may rely on that. A sentence counts only if it is true of the
given inputs and its names are known: those of the constructor, the arguments, the constants of the file, or the axes of a shape, "x: (N,
C)".
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
from . import wording
from .statements import ALL, FINITE, HEDGED, NAME, NUMBER, is_hedged, limits_in, prose_of, sentences_of, statements_in


class Stated:
    """What a problem's text says about its inputs.

    Args:
        draws: the problem's own settings, from several seeds. A statement that is not true of them was misread, and doesn't count.

    Attributes:
        ties: whether it says which of equal numbers counts. rounds: whether it rounds to integers, and says how. exact: whether every bit
            counts.
        float32: whether it asks for a single rounding, at the end. overflows: whether it says that what is too large becomes infinite.
        poles: whether it says that something may be infinite, as the logarithm of an empty sum is.
        specials: the places of inputs that may hold NaN, infinity or minus infinity, by these values. behind: which of these values may be
            where
            nothing counts, as in padding. magnitudes: whether subnormal numbers are among its inputs.
        ascending: the places of inputs that it calls sorted, and whether no two numbers may be equal.
        signed: the places of inputs that it says may be negative, or zero. any_whole: those of integers that may take any value of their
            type.
        numbers: that the text names.
        whole_ranges: the smallest and the largest value that integers may have, by the places of the inputs that hold them.
        empties: whether it mentions empty pieces. bounds: whether it, or one of its names, limits how long pieces may be.
        nothing: whether it says what becomes of rows that are masked as a whole. left: how many numbers of a row are neither -inf nor NaN
            at least, as far as it says.
        gradients: whether it asks for them. inference: whether it says that none are needed.
        contiguous: whether inputs are contiguous. rows_apart: whether only their rows may lie apart. strided: the places of inputs that may
            have
            strides. lies_as_drawn: whether a function draws all inputs, contiguous, and nothing is said of strides, so that a difference in
            another
            layout decides nothing.
        arguments: the names of the arguments, or of the parts of the only one.
        names: of inputs, by their place. limits: the smallest and the largest size that it names. magnitude_range: the same of magnitudes,
            if any.
        condition_number: the largest that it mentions. kinds: other formats that its inputs may have.
    """

    def __init__(self, problem: Problem, draws: Sequence[Setting]) -> None:
        self._problem = problem
        self._sentences = sentences_of(f"{prose_of(problem.text)}.\n\n{problem.description}")
        self._prose = ". ".join(self._sentences)
        self.arguments = argument_names(problem.text, problem.entry) if problem.text else []
        self._open: dict[str, int] = {}
        self._fixed: dict[str, set[int]] = {}
        self._shapes = dict(self._read_shapes(draws[0]))
        lengths = [self._lengths(draw) for draw in (*draws, *(test for _, test in problem.tests))]
        self._tied = {name for name in lengths[0] if all(len(found.get(name, ())) == 1 for found in lengths)}
        self._statements = [
            statement
            for statement in statements_in(self._sentences)
            if all(statement.test(self._names(draw, {})) is True for draw in draws)
        ]
        self._of_any_shape = self._places(draws[0], wording.ANY_SHAPE, self._sentences)
        held = [sentence for sentence in self._sentences if not wording.NOT_HELD.search(sentence)]
        self.ties = any(
            wording.TIES.search(wording.TO_EVEN.sub("", sentence)) and not wording.FREE.search(sentence) for sentence in self._sentences
        )
        self.specials = self._specials(draws[0], held)
        floats = [place for place, tensor in enumerate(leaves(draws[0].arguments)) if is_real(tensor)]
        self.ascending = self._ascending(draws)
        self.signed = floats if self._says(wording.ZEROS) else self._places(draws[0], wording.SIGNED, held)
        ignored = [sentence for sentence in self._sentences if wording.NOT_HELD.search(sentence)]
        self.behind = tuple(
            value for value, words in wording.SPECIALS.items() if any(wording.is_said(words, sentence) for sentence in ignored)
        )
        self.empties = self._says(wording.EMPTY)
        self.rows_apart = wording.ROWS_APART.search(self._prose) is not None
        # Whoever draws inputs names what is drawn, and promises nothing.
        sizes = () if problem.format == "GPU MODE" else problem.sizes
        named = {*sizes, *constructor_names(problem), *self.arguments}
        self.bounds = wording.BOUND.search(self._prose) is not None or any(wording.NAMED_BOUND.search(name) for name in named)
        self.nothing = wording.NOTHING.search(self._prose) is not None
        self.float32 = any(wording.is_said(wording.FLOAT32, sentence) for sentence in self._sentences)
        self.rounds = wording.ROUNDS.search(self._prose) is not None
        self.condition_number = max((float(match["of"]) for match in wording.CONDITION_NUMBER.finditer(self._prose)), default=None)
        self.exact = self._says(wording.EXACT)
        self.magnitudes = self._says(wording.MAGNITUDES)
        self.overflows = wording.OVERFLOWS.search(self._prose) is not None
        self.poles = self._says(wording.POLES)
        self.gradients = self._says(wording.GRADIENTS)
        self.inference = wording.INFERENCE.search(self._prose) is not None and not self.gradients
        self.contiguous = self._calls_contiguous()
        tensors = leaves(draws[0].arguments)
        whole = [place for place, tensor in enumerate(tensors) if tensor.dtype in (torch.int32, torch.int64) and tensor.dim()]
        self.names = {place: name for name, place in self._leaves_of(draws[0]).items()}
        self.any_whole = self._places(draws[0], wording.ANY_WHOLE, self._sentences, among=whole)
        self.numbers = tuple({float(word.replace("_", "")) for word in re.findall(NUMBER, self._prose)})
        self.whole_ranges = dict(self._ranges_of(draws, whole))
        self.strided = self._may_have_strides(draws[0])
        is_laid_out = all(tensor.is_contiguous() for tensor in tensors)
        self.lies_as_drawn = problem.format == "GPU MODE" and is_laid_out and wording.STRIDES.search(self._prose) is None
        self.left = self._left_in(draws[0])
        found = limits_in(self._sentences)
        sizes_said = [(float(match["low"]), float(match["high"])) for match in wording.MAGNITUDE_RANGE.finditer(self._prose)]
        self.magnitude_range = sizes_said[0] if sizes_said else None
        self.limits = {name: tuple(dict.fromkeys(found[name.lower()])) for name in problem.sizes if name.lower() in found}
        self.kinds = self._kinds({tensor.dtype for tensor in tensors if is_real(tensor)})

    def compared(self, draw: Setting) -> list[tuple[int, int]]:
        """Pairs of inputs that the text compares with each other, "edges[j] <= x", so that it says what equal numbers mean."""
        names = self._leaves_of(draw)
        found = [match for sentence in self._sentences for match in wording.COMPARED.finditer(sentence)]
        pairs = [tuple(sorted(names[match[side]] for side in ("one", "other") if match[side] in names)) for match in found]
        return [(pair[0], pair[1]) for pair in dict.fromkeys(pairs) if len(set(pair)) == 2]

    def may_be_left_out(self, name: str) -> bool:
        """Whether the text says so of an argument alone."""
        for sentence in self._sentences:
            about = re.match(NAME, sentence)
            for clause in re.split("[,;]", sentence) if not wording.TOGETHER.search(sentence) else ():
                match = wording.LEFT_OUT.search(clause)
                is_named = name in re.findall(NAME, clause) or (about is not None and about[0] == name)
                if match is not None and is_named and not wording.NOT_BEFORE.search(clause[: match.start()]):
                    return True
        return False

    @property
    def not_finite(self) -> bool:
        """Whether the text says what becomes of NaN and infinities."""
        return any(map(wording.says_what_becomes_of_not_finite, self._sentences))

    def _calls_contiguous(self) -> bool:
        """Whether inputs are called contiguous, and nothing is said of strides."""
        clauses = [clause for sentence in self._sentences for clause in wording.clauses_of(sentence)]
        if any(wording.is_said(wording.STRIDES, clause) for clause in clauses):
            return False
        words = wording.CONTIGUOUS
        return any(wording.is_said(words, clause) and not wording.is_of_results(words, clause) for clause in clauses)

    @property
    def in_place(self) -> bool:
        """Whether the text demands that inputs are updated."""
        return any(wording.IN_PLACE.search(sentence) and not wording.LEFT_OPEN.search(sentence) for sentence in self._sentences)

    def loaded(self, buffers: Collection[str]) -> set[str]:
        """The buffers that a checkpoint may fill with other numbers: those that the sentence about it names.

        Or those that the sentence before names, if this one says "it" and is about nothing else; all, if it speaks of buffers as such.
        """
        found: set[str] = set()
        for before, sentence in zip(("", *self._sentences), self._sentences):
            others = re.findall(NAME, sentence)[1:]  # the first is that of the item in which the sentence stands
            is_of_it = wording.IT.search(sentence) and set(others).isdisjoint(self.arguments) and not wording.WEIGHTS.search(sentence)
            whole = wording.BRACKETS.sub(lambda match: match[0].replace(",", " "), sentence)
            for clause in (part for part in re.split("[,;]", whole) if wording.is_said(wording.LOADED, part)):
                words = set() if wording.FIXED.search(clause) else set(re.findall(NAME, clause))
                own = {name for name in buffers if name.rpartition(".")[2] in words}
                if not own and re.search(r"\bbuffers\b", clause, re.IGNORECASE) and words:
                    own = set(buffers)
                named = set(re.findall(NAME, before)) if not own and is_of_it else set[str]()
                found |= own | {name for name in buffers if name.rpartition(".")[2] in named}
        return found

    def _left_in(self, draw: Setting) -> int:
        """How many numbers of a row are not -inf, "at least k finite logits"; 1 if it says only that there are some, 0 if nothing."""
        match = wording.MANY_LEFT.search(self._prose)
        word = (match["count"] or match["more"]) if match is not None else ""
        if word.isdigit() or word in COUNTS:
            return int(COUNTS.get(word, word))
        count = self._names(draw, {}).get(word)
        if isinstance(count, (int, float)):
            return int(count)
        return int(bool(word) or wording.SOME_LEFT.search(self._prose) is not None)

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
        strided = self._places(draw, wording.STRIDES, self._sentences, among=places)
        said = [sentence for sentence in self._sentences if wording.STRIDES.search(sentence)]
        if strided and (wording.REST.search(self._prose) or all(self._is_of_one_input(sentence, draw) for sentence in said)):
            return strided
        plain = [sentence for sentence in self._sentences if sentence not in said]
        side_by_side = self._places(draw, wording.CONTIGUOUS, plain, among=places)
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
        return any(
            words.search(clause) and not wording.DENIED.search(words.sub("", clause))
            for clause in wording.clauses_of(self._prose, "[.,:;]")
        )

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

    def _read_shapes(self, draw: Setting) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names of the last axes of each argument, "" for one without a name.

        The first shape of an argument counts; "pos[r]" counts only where no other is found, for it may be an element.
        """
        values = dict(zip(self.arguments, _parts(draw)))
        known, read = dict[str, int](), set[str]()
        for match in (match for sentence in self._sentences for match in wording.SHAPE.finditer(wording.KIND.sub("", sentence))):
            written = [axis.strip() for axis in match["axes"].strip().removesuffix(",").split(",")]
            is_open = written[:1] == ["..."]
            is_indexed = wording.INDEXED.search(match.string, 0, match.start("axes")) is not None  # "x[i]" may be an element
            if any(":" in axis for axis in written) or (is_open and is_indexed):
                continue
            numbers = {place - len(written) for place, axis in enumerate(written) if axis.isdecimal()}
            axes = [axis if re.fullmatch(NAME, axis) else "" for axis in written[is_open:]]
            called = re.findall(NAME, match["names"])
            for name in called if not values.keys().isdisjoint(called) else re.findall(NAME, match["between"])[-1:]:
                value = values.get(name)
                if not isinstance(value, torch.Tensor) or not (value.dim() == len(axes) or (is_open and value.dim() >= len(axes))):
                    continue
                if name in read:
                    continue
                if is_open:
                    self._open[name] = len(axes)
                if all(value.shape[axis] == int(written[axis]) for axis in numbers):
                    self._fixed.setdefault(name, set()).update(numbers)
                lengths = dict(zip(axes, value.shape[value.dim() - len(axes) :]))
                if all(known.get(axis, length) == length for axis, length in lengths.items() if axis):
                    known |= {} if is_indexed else lengths
                    read |= {name} if any(axes) and not is_indexed else set()
                    yield name, tuple(axes)

    def _ranges_of(self, draws: Sequence[Setting], whole: Collection[int]) -> Iterator[tuple[int, tuple[int, int]]]:
        """The range of each input of integers that a sentence gives one, after the input's name."""
        names = {name.lower(): place for name, place in self._leaves_of(draws[0]).items() if place in whole}
        for match in (match for sentence in self._sentences for match in wording.VALUES.finditer(sentence)):
            named = [word for word in re.findall(NAME, match.string[: match.start()].lower()) if word in names]
            low, high = float(match["low"]), float(match["high"])
            if not named or is_hedged(match) or not low.is_integer() or not high.is_integer():
                continue
            place = names[named[-1]]
            drawn = [leaves(draw.arguments)[place] for draw in draws]
            if all(bool(((low <= tensor) & (tensor <= high)).all()) for tensor in drawn):
                yield place, (int(low), int(high))

    def _kinds(self, own: Collection[torch.dtype]) -> tuple[torch.dtype, ...]:
        """The other formats that the text names beside the only one of the inputs."""
        named = [word for found in wording.SEVERAL_KINDS.finditer(self._prose) for word in re.findall(wording.ONE_KIND, found[0])]
        said = {wording.KINDS[word] for word in named}
        is_one_of_them = len(own) == 1 and said.issuperset(own)
        return tuple(kind for kind in dict.fromkeys(wording.KINDS.values()) if is_one_of_them and kind in said - set(own))

    def _specials(self, draw: Setting, held: Sequence[str]) -> dict[float, tuple[int, ...]]:
        """Which inputs may hold NaN or an infinity.

        An input that one sentence calls finite may hold them only where another sentence names it: that a maximum of nothing is -inf is
        said of results.
        """
        excepted = (*wording.SPECIALS.values(), wording.MANY_LEFT, HEDGED, wording.EXCEPT)
        plain = [sentence for sentence in self._sentences if not any(words.search(sentence) for words in excepted)]
        finite = self._places(draw, FINITE, plain, unless=range(len(leaves(draw.arguments))))
        found = {value: self._places(draw, words, held, unless=finite) for value, words in wording.SPECIALS.items()}
        return {value: places for value, places in found.items() if places}

    def _ascending(self, draws: Sequence[Setting]) -> dict[int, bool]:
        """Which inputs the text calls sorted, and whether strictly, as far as the draws show them so."""
        plain = [sentence for sentence in self._sentences if not wording.DESCENDING.search(sentence)]
        strict = [sentence for sentence in plain if any(wording.is_said(wording.STRICTLY, clause) for clause in re.split("[,:]", sentence))]
        places, strictly = (self._places(draws[0], wording.ASCENDING, sentences) for sentences in (plain, strict))
        found: dict[int, bool] = {}
        for place in places:
            tensors = [leaves(draw.arguments)[place] for draw in draws]
            if all(_ascends(tensor) for tensor in tensors):
                found[place] = place in strictly and all(bool((tensor.diff(dim=-1) > 0).all()) for tensor in tensors)
        return found

    def _places(
        self,
        draw: Setting,
        words: re.Pattern[str],
        sentences: Sequence[str],
        among: Collection[int] | None = None,
        unless: Collection[int] = (),
    ) -> tuple[int, ...]:
        """The inputs that some clause mentions with these words; the name may be left out if there is only one input.

        Args:
            among: the inputs to choose from; by default the floating ones. unless: inputs that are meant only where they are named.
        """
        floats = {place for place, tensor in enumerate(leaves(draw.arguments)) if is_real(tensor) and tensor.dim()}
        floats = floats if among is None else set(among)
        names = self._leaves_of(draw)
        found: set[int] = set()
        for sentence in sentences:
            about = re.match(NAME, sentence)
            for clause in wording.clauses_of(sentence):
                if not wording.is_said(words, clause) or (wording.is_of_results(words, clause) and not wording.PROPAGATES.search(clause)):
                    continue
                said = {word.lower().removesuffix("s") for word in re.findall(NAME, clause)}
                named = {place for name, place in names.items() if name.lower().removesuffix("s") in said}
                found |= named or ({names[about[0]]} if about and about[0] in names else set())
                found |= floats - set(unless) if len(floats) == 1 or wording.PROPAGATES.search(clause) else set()
        return tuple(sorted(found & floats))


COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}


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
