"""What stands for a value of `expected` in `actual`, and one op evaluated on a choice of these: exactly, and with rounding errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..floats import FORMATS, Format
from ..floats.rounding import round_to_format
from ..ops import record_of
from ..ops.arithmetic import EXACT, Array, Direct, Exact, Rounding
from ..ops.evaluation import Unknown
from ..traces import Step, Trace
from .addition import SAMPLES, Addition, spread_of
from .alignment import Alignment
from .collectives import is_collective
from .ledger import Walk
from .values import Values, evaluate

KEPT_BYTES = 256 << 20
"""Samples of one op that are kept while it is looked at; larger ones are computed again for each question."""
LOOSENED_BYTES = 256 << 20
"""The same of all versions that carry more rounding; where they are forgotten they are made again."""
LOOSENED_DEPTH = 64
"""How many predictions in a row are loosened: bounds the work where two programs share no value for long. The ops of one module between two
named results are fewer."""

Fallback = Callable[[Step, Callable[[int], Array], Exact], "list[Array | None]"]
"""Evaluates a step that has no formula; takes the step, what its inputs are, and the arithmetic."""


class Surroundings(Protocol):
    """What evaluations, leaves and reasons need to know of the walk; `Walker` is one."""

    actual: Trace
    expected: Trace
    alignment: Alignment
    expected_values: Values
    actual_values: Values
    declared: Format | None
    fallback: Fallback | None
    amplitude: float
    tests: int
    found: Walk
    loosened: Loosened

    def format_of(self, number: int) -> Format:
        """What a value is stored in."""
        ...

    def collective(self, step: Step, inputs: list[Array], fl: Exact) -> list[Array | None]:
        """What an op that combines ranks gives for these inputs on this one."""
        ...

    def addition_in(self, evaluation: Evaluation, slot: int, number: int, actual: Array) -> Addition:
        """How far a value is from what an evaluation predicts."""
        ...


@dataclass(eq=False)
class Version:
    """What stands for a value of `expected` in `actual`.

    Attributes:
        number: the recorded value of `actual`; None for a prediction.
        identical: it has the bits of `expected`.
        exact: the predicted numbers, computed again when they were forgotten. samples: the prediction with rounding errors, several times;
            None for one without any.
        made_by: the evaluation that predicts it, and which output; None for what no op made.
        alternative: what stands for it if the suspects in `assumes` are right.
        assumes: values of `expected` whose suspects this version takes for true.
    """

    number: int | None = None
    identical: bool = False
    exact: Array | None = None
    samples: list[Array] | None = None
    made_by: tuple[Evaluation, int] | None = None
    alternative: Version | None = None
    assumes: frozenset[int] = frozenset()


def in_shape(numbers: Array, shape: tuple[int, ...]) -> Array:
    """Numbers of `actual` in the shape of their counterpart in `expected`; in their own where a mask selected more of them, or fewer."""
    return numbers.reshape(shape) if numbers.size == math.prod(shape) else numbers


class Evaluation:
    """One op of `expected` on one choice of versions of its inputs. Computed when asked for, and forgotten by `release`.

    Attributes:
        around: the walk. step: the op. versions: value of `expected` -> its version. assumes: the suspects that these take for true.
    """

    def __init__(self, around: Surroundings, step: Step, versions: Mapping[int, Version]) -> None:
        self.around, self.step, self.versions = around, step, dict(versions)
        self.assumes: frozenset[int] = frozenset().union(*(version.assumes for version in versions.values()))
        self.release()

    def release(self) -> None:
        """Forget what was computed; it can be computed again."""
        self._inputs: dict[int, Array] = {}
        self._exact: list[Array | None] | None = None
        self._rounding: Rounding | None = None
        self._samples: dict[tuple[str, int], list[Array | None]] = {}
        self._spreads: dict[int, Array] = {}

    def exact(self) -> list[Array | None]:
        """The outputs without rounding.

        Raises:
            Unknown: the op has no formula, and PyTorch is not at hand.
        """
        if self._exact is None:
            self._exact = self._evaluated(self.input, EXACT)
        return self._exact

    def input(self, number: int) -> Array:
        """What the op reads for a value of `expected`, in its shape."""
        if number not in self._inputs:
            self._inputs[number] = self.numbers(number, self.versions[number])
        return self._inputs[number]

    def numbers(self, number: int, version: Version) -> Array:
        """The numbers of a version."""
        if version.number is not None:
            return in_shape(self.around.actual_values.number(version.number), self.around.expected.values[number].shape)
        if version.exact is None and version.made_by is not None and not version.identical:
            evaluation, slot = version.made_by
            remade = evaluation.version(slot)
            version.exact, version.samples = remade.exact, remade.samples
        if version.exact is not None:
            return version.exact
        if not version.identical:
            raise Unknown("the values that it reads in actual are not known")
        return self.around.expected_values.number(number)

    def sample(self, k: int, slot: int) -> Array:
        """An output with the rounding errors of this op and of what its inputs were predicted with."""
        number, exact = self.step.outputs[slot], self.exact()[slot]
        assert number is not None and exact is not None
        format = self.around.format_of(number)
        outputs = self._samples.get((format.name, k))
        if outputs is None:
            if self._rounding is None or self._rounding.format != format:
                self._rounding = Rounding(format, amplitude=self.around.amplitude)
            # Each sample draws its own numbers, the same whenever it is asked for.
            self._rounding.restart((self.step.index, k))

            def sampled(n: int) -> Array:
                whole = self.input(n)  # also makes samples anew that were forgotten
                samples = self.versions[n].samples
                return whole if samples is None else samples[k]

            outputs = self._evaluated(sampled, self._rounding)
            if sum(output.nbytes for output in outputs if output is not None) <= KEPT_BYTES // SAMPLES:
                self._samples[format.name, k] = outputs
        found = outputs[slot]
        return exact if found is None else found

    def spread(self, slot: int) -> Array:
        """How far rounding may move an output."""
        if slot not in self._spreads:
            exact = self.exact()[slot]
            assert exact is not None
            direct = self._direct(slot)
            self._spreads[slot] = self._sampled_spread(exact, slot) if direct is None else direct
        return self._spreads[slot]

    def _sampled_spread(self, exact: Array, slot: int) -> Array:
        return spread_of(exact, (self.sample(k, slot) for k in range(SAMPLES))) / self.around.amplitude

    @property
    def is_plain(self) -> bool:
        """Whether all inputs are recorded values, or views of them."""
        return all(version.samples is None and version.alternative is None for version in self.versions.values())

    @property
    def is_predicted(self) -> bool:
        """Whether it reads something that `actual` does not have."""
        return any(version.samples is not None for version in self.versions.values())

    def _direct(self, slot: int) -> Array | None:
        """The spread by one formula instead of samples, where the inputs are known numbers and roundings only add up."""
        number, exact = self.step.outputs[slot], self.exact()[slot]
        if (
            number is None
            or exact is None
            or not is_direct(self.step)
            or any(version.samples is not None for version in self.versions.values())
        ):
            return None
        direct = Direct(self.around.format_of(number))
        try:
            evaluate(self.step, self.input, direct)
        except Unknown:
            return None
        return direct.spread(exact.shape)

    def version(self, slot: int) -> Version:
        """What this evaluation predicts for an output."""
        exact = self.exact()[slot]
        is_exact = self.is_view(slot) and all(version.samples is None for version in self.versions.values())
        samples = None if is_exact else [self.sample(k, slot) for k in range(SAMPLES)]
        return Version(exact=exact, samples=samples, made_by=(self, slot), assumes=self.assumes)

    def is_view(self, slot: int) -> bool:
        """Whether an output is a view of an input, which is not recorded by itself."""
        number = self.step.outputs[slot]
        value = self.around.expected.values[number] if number is not None else None
        return value is not None and not value.hash and value.elements > 0

    def loosened(self, depth: int = 0) -> Evaluation:
        """The same op on inputs that carry the rounding of the ops which made them.

        What was taken for the counterpart of an input may be a neighbor of the true one, within the rounding of the op before.
        Applied again, the rounding of one op more is carried.

        Args:
            depth: how many predictions were passed on the way here.
        """
        loosened = {number: self.around.loosened.version(version, depth) for number, version in self.versions.items()}
        return Evaluation(self.around, self.step, loosened)

    def sources(self) -> set[int]:
        """The recorded values of `actual` that its inputs are, or are views or predictions from."""
        found, seen = set[int](), set[int]()
        waiting: list[Evaluation] = [self]
        while waiting:
            for version in waiting.pop().versions.values():
                if version.number is not None:
                    found.add(version.number)
                elif version.made_by is not None and id(version) not in seen:
                    seen.add(id(version))
                    waiting.append(version.made_by[0])
        return found

    def coarse(self, slot: int) -> Callable[[Format, str], Array | None]:
        """The op on operands rounded to a format: "both", "first" or "second" of its floating-point inputs."""
        values = self.around.expected.values
        floating = [n for n in dict.fromkeys(self.step.inputs) if values[n].dtype in FORMATS and values[n].elements > 1]

        def evaluated(format: Format, which: str) -> Array | None:
            chosen = {"both": floating, "first": floating[:1], "second": floating[1:2]}.get(which, [])
            if not chosen:
                return None

            def number(n: int) -> Array:
                found = self.input(n)
                return round_to_format(found, format) if n in chosen and found.dtype.kind == "f" else found

            try:
                return self._evaluated(number, EXACT)[slot]
            except Unknown:
                return None

        return evaluated

    def _evaluated(self, number: Callable[[int], Array], fl: Exact) -> list[Array | None]:
        try:
            if is_collective(self.step):
                with np.errstate(all="ignore"):
                    return self.around.collective(self.step, [number(source) for source in self.step.inputs], fl)
            return evaluate(self.step, number, fl)
        except Unknown:
            if self.around.fallback is None:
                raise
            return self.around.fallback(self.step, number, fl)


def is_direct(step: Step) -> bool:
    """Whether `Direct` gives the spread of an op; a product that is scaled afterwards would need its variance scaled too."""
    return record_of(step.name).direct and all(step.keywords.get(key, 1) == 1 for key in ("alpha", "beta"))


class Loosened:
    """Versions that carry the rounding of the ops which made them. What several ops read is made once; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Version, Version]] = {}
        self._bytes = 0

    def version(self, version: Version, depth: int) -> Version:
        """The same value with one op more of rounding, back through `LOOSENED_DEPTH` predictions at the most."""
        if version.made_by is None or depth >= LOOSENED_DEPTH:
            return version
        known = self._known.get(id(version))
        if known is not None:
            return known[1]
        evaluation, slot = version.made_by
        try:
            loose = (evaluation if version.number is not None else evaluation.loosened(depth + 1)).version(slot)
        except Unknown:  # it has the bits of `expected`, so nothing had to be evaluated so far
            loose = version
        self._known[id(version)] = version, loose  # kept together, so that the identity stays taken
        self._bytes += _bytes_of(loose)
        while self._bytes > LOOSENED_BYTES and len(self._known) > 1:
            _, dropped = self._known.pop(next(iter(self._known)))
            self._bytes -= _bytes_of(dropped)
        return loose


def _bytes_of(version: Version) -> int:
    return sum(array.nbytes for array in (version.exact, *(version.samples or ())) if array is not None)
