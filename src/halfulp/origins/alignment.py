"""Alignment: which value of `actual` may stand for one of `expected`, by names, structure and hashes. The walk tests what it proposes.

Names come first (the same module, the same op, the same call), then modules in the same order with results of the same shapes, then values
of the same number of elements that are near. Nothing here looks at elements except `nearest`, which looks at a few.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ..ops.arithmetic import Array
from ..traces import Step, Trace
from ..traces.roles import Role, StepKind
from .counterpart import Candidate, MatchedBy
from .nearness import Nearness, is_float

FOREIGN = ("onnx", "openvino", "executorch", "litert", "jax", "numpy")
"""The first part of the names of ops that other libraries computed."""

Key = tuple[str, str, int, str, int]


class Alignment:
    """Proposals for one pair of traces.

    Args:
        actual, expected: the traces.
        rename: patterns of module paths in `expected` -> in `actual` ("encoder.layer.*" -> "blocks.*").

    Attributes:
        modules: module path in `expected` -> in `actual`, as far as known. is_foreign: whether another library computed `actual`, whose ops
            go by other names: then only nearness tells.
    """

    def __init__(self, actual: Trace, expected: Trace, rename: Mapping[str, str] | None = None) -> None:
        self.actual, self.expected = actual, expected
        self._rename = dict(rename or {})
        self._ops: dict[Key, Step] = dict(_keyed(actual))
        self._keys = {step.index: key for key, step in _keyed(expected)}
        self._by_hash: dict[tuple[str, int, str], int] = {}
        self._nearness = Nearness(actual)
        for value in actual.values:
            if value.hash:
                self._by_hash.setdefault((value.hash, value.elements, value.dtype), value.number)
        self._foreign: dict[tuple[str, tuple[int, ...], bool], list[int]] = defaultdict(list)
        self._in_order: dict[tuple[tuple[int, ...], bool], list[tuple[int, int]]] = defaultdict(list)
        for step in actual.ops:
            if step.op.split(".")[0] in FOREIGN:
                for number in step.outputs:
                    if number is not None:
                        value = actual.values[number]
                        self._foreign[step.module, value.shape, is_float(value.dtype)].append(number)
                        self._in_order[value.shape, is_float(value.dtype)].append((step.index, number))
        self.is_foreign = bool(self._foreign)
        self._anchors: dict[int, list[Candidate]] = defaultdict(list)
        self.modules: dict[str, str] = {}
        self._by_parameters = self._align_parameters()
        self._starts: dict[tuple[str, str], tuple[str, int]] = {}
        for step in expected.ops:
            self._starts.setdefault((step.phase, self.sure(step.module)), (step.module, step.index))
        self._align_results()
        self._align_modules()

    def same_bits(self, number: int) -> int | None:
        """A value of `actual` with the same bits as this one of `expected`."""
        value = self.expected.values[number]
        return self._by_hash.get((value.hash, value.elements, value.dtype)) if value.hash else None

    def candidates(self, step: Step, slot: int) -> list[Candidate]:
        """What may stand for the output at `slot` of a step of `expected`, most likely first."""
        number = step.outputs[slot]
        if number is None:
            return []
        found = list(self._anchors.get(number, ()))
        phase, module, call, name, place = self._keys[step.index]
        twin = self._ops.get((phase, self.module(module), call, name, place))
        if twin is not None and slot < len(twin.outputs) and twin.outputs[slot] is not None:
            found.append(Candidate(twin.outputs[slot], MatchedBy.NAME))  # pyright: ignore[reportArgumentType]
        expected_value = self.expected.values[number]
        usable: dict[int, Candidate] = {}
        for candidate in found:
            actual_value = self.actual.values[candidate.number]
            if actual_value.elements == expected_value.elements and is_float(actual_value.dtype) == is_float(expected_value.dtype):
                usable.setdefault(candidate.number, candidate)
        return list(usable.values())

    def hinted(self, step: Step, slot: int) -> list[int]:
        """Values of `actual` of the same shape that its library says belong to the same module, the last first.

        Only where `actual` was computed by another library: its ops have other names, so that nothing else is known by name.
        """
        number = step.outputs[slot]
        if number is None or not step.module:
            return []
        expected_value = self.expected.values[number]
        known = self._foreign.get((self.module(step.module), expected_value.shape, is_float(expected_value.dtype)), [])
        return known[::-1]

    def following(self, step: Step, slot: int, after: int) -> list[int]:
        """Values of `actual` of the same shape that come after a step of it, the next first; of another library's runs alone."""
        number = step.outputs[slot]
        if number is None or not self.is_foreign:
            return []
        value = self.expected.values[number]
        known = self._in_order.get((value.shape, is_float(value.dtype)), [])
        return [candidate for index, candidate in known if index > after]

    def near(self, number: int, prediction: Array) -> list[tuple[float, int]]:
        """Values of `actual` with as many elements as `number`, by relative distance from a prediction (rms over rms), nearest first."""
        return self._nearness.near(prediction, self.expected.values[number].dtype)

    def is_of_later(self, step: Step, number: int) -> bool:
        """Whether a value of `actual` was made in a module whose counterpart in `expected` has yet to come after this step.

        Layers that begin as copies of each other give values that are near, and follow from each other just as well.
        """
        made_by = self.actual.producers.get(number)
        if made_by is None or not made_by.module:
            return False
        path, start = self._starts.get((made_by.phase, made_by.module), ("", -1))
        return start > step.index and not f"{path}.".startswith(f"{step.module}." if step.module else "")

    def module(self, path: str) -> str:
        """The module of `actual` that corresponds to a module of `expected`, as far as can be guessed."""
        known = self.modules.get(path)
        if known is not None:
            return known
        outer, _, last = path.rpartition(".")  # a part that was never called by itself goes with what it is a part of
        if outer in self.modules and self.modules[outer] != outer:
            return f"{self.modules[outer]}.{last}"
        return self.sure(path)

    def in_expected(self, path: str) -> str:
        """The module of `expected` that a module of `actual` corresponds to."""
        return next((own for own, other in self.modules.items() if other == path), path)

    def sure(self, path: str) -> str:
        """The same where it need not be guessed: of the same parameters, as `rename` says, or of the same name."""
        renamed = self._renamed(path)
        return self._by_parameters.get(path, path) if renamed is None else renamed

    def _renamed(self, path: str) -> str | None:
        for pattern, target in self._rename.items():
            if "*" not in pattern:
                if path == pattern or path.startswith(pattern + "."):
                    return target + path[len(pattern) :]
            elif fnmatch.fnmatchcase(path, pattern):
                head, _, tail = pattern.partition("*")
                return target.replace("*", path[len(head) : len(path) - len(tail) or None], 1)
        return None

    def _align_parameters(self) -> dict[str, str]:
        """Modules that hold the same parameters in bits and go by other names."""

        def owners(trace: Trace) -> dict[str, frozenset[str]]:
            found: dict[str, set[str]] = defaultdict(set)
            for value in trace.values:
                if value.role == Role.PARAMETER and value.hash:
                    found[value.name.rpartition(".")[0]].add(value.hash)
            return {path: frozenset(hashes) for path, hashes in found.items()}

        expected_owners, actual_owners = owners(self.expected), owners(self.actual)
        by_hashes: dict[frozenset[str], list[str]] = defaultdict(list)
        for path, hashes in actual_owners.items():
            by_hashes[hashes].append(path)
        found = {path: by_hashes[hashes][0] for path, hashes in expected_owners.items() if len(by_hashes.get(hashes, ())) == 1}
        return {path: other for path, other in found.items() if path != other and actual_owners.get(path) != expected_owners[path]}

    def _align_results(self) -> None:
        for name, number in self.expected.named.items():
            actual_number = self.actual.named.get(name)
            path, dot, rest = name.partition(".grad")
            module, _, leaf = path.rpartition(".")
            if module and self.sure(module) != module:  # a parameter, or the gradient of one, of a module with another name
                actual_number = self.actual.named.get(f"{self.sure(module)}.{leaf}{dot}{rest}")
            if actual_number is not None:
                self._anchors[number].append(Candidate(actual_number, MatchedBy.OUTPUT))

    def _align_modules(self) -> None:
        def calls(trace: Trace) -> Iterator[tuple[tuple[Any, ...], Step]]:
            """A module may hand on several results, whose gradients come one by one: the first of a call, the second ..."""
            counts: Counter[Any] = Counter()
            for step in trace.steps:
                if step.kind == StepKind.MODULE:
                    key = (step.phase, step.module, step.call)
                    yield (*key, counts[key]), step
                    counts[key] += 1

        paths = dict(calls(self.actual))
        paired: list[tuple[Step, Step, MatchedBy]] = []
        left: list[Step] = []
        for (phase, module, *rest), step in calls(self.expected):
            twin = paths.get((phase, self.sure(module), *rest))
            if twin is not None:
                paired.append((step, twin, MatchedBy.MODULE))
            else:
                left.append(step)
        taken = {actual_step.index for _, actual_step, _ in paired}
        others = [path for path in paths.values() if path.index not in taken]
        matcher = difflib.SequenceMatcher(
            None,
            [_shapes(step, self.expected) for step in left],
            [_shapes(step, self.actual) for step in others],
            autojunk=False,
        )
        for block in matcher.get_matching_blocks():
            paired += [(left[block.a + k], others[block.b + k], MatchedBy.SHAPE) for k in range(block.size)]
        for expected_step, actual_step, how in paired:
            self.modules.setdefault(expected_step.module, actual_step.module)
            for number, counterpart in zip(expected_step.outputs, actual_step.outputs):
                if number is not None and counterpart is not None:
                    self._anchors[number].append(Candidate(counterpart, how))


def _keyed(trace: Trace) -> list[tuple[Key, Step]]:
    """Each op with what it is known by: phase, module, call, op name, and how many like it came before there."""
    counts: Counter[Any] = Counter()
    found: list[tuple[Key, Step]] = []
    for step in trace.ops:
        place = (step.phase, step.module, step.call, step.name)
        found.append(((*place, counts[place]), step))
        counts[place] += 1
    return found


def _shapes(step: Step, trace: Trace) -> tuple[Any, ...]:
    return (step.phase, *(None if output is None else trace.values[output].shape for output in step.outputs))
