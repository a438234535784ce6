"""Values that no op made: inputs, parameters, buffers, constants."""

from __future__ import annotations

import numpy as np

from ..differences.excess import Excess
from ..floats import FORMATS
from ..traces import Step
from ..traces.roles import Phase, Role
from ..verdicts.verdict import Verdict
from ..words.numbers import counted
from .addition import beyond_everything, distance, rms
from .counterpart import MatchedBy
from .ledger import Suspect, SuspectState
from .origin import Parts, point_at
from .versions import Surroundings, Version


class Leaves:
    """What stands for them in `actual`."""

    def __init__(self, walker: Surroundings) -> None:
        self._walker = walker
        roles = ("input", "parameter", "buffer")
        self._named = {(value.role, value.name): value for value in reversed(walker.actual.values) if value.role in roles}

    def version(self, step: Step, number: int) -> Version:
        """The version of a value that a step reads first. Inputs are those of `actual`, all else that of `expected`.

        So a parameter that differs shows as something that the ops which read it add.
        """
        value = self._walker.expected.values[number]
        actual_value = self._named.get((value.role, self._name_in_actual(value.name)))
        if actual_value is not None and actual_value.shape != value.shape:
            actual_value = None
        if actual_value is not None and actual_value.hash == value.hash and actual_value.dtype == value.dtype:
            self._walker.found.matched.add(actual_value.number)
            return Version(actual_value.number, identical=True)
        elsewhere = self._walker.alignment.same_bits(number) if value.role == Role.PARAMETER and value.elements > 1 else None
        if actual_value is not None and elsewhere is None and actual_value.is_complete and self._walker.expected_values.known(number):
            self._walker.found.matched.add(actual_value.number)
            if value.role == Role.INPUT:
                return Version(actual_value.number)
            return self._differing(step, number, actual_value.number)
        same = self._walker.alignment.same_bits(number)
        if same is not None:
            self._walker.found.matched.add(same)
        return Version(same, identical=True)

    def _name_in_actual(self, name: str) -> str:
        module, _, leaf = name.rpartition(".")
        return ".".join(filter(None, (self._walker.alignment.sure(module), leaf)))

    def _differing(self, step: Step, number: int, actual_number: int) -> Version:
        """A parameter or buffer of one name with other numbers: fine within one rounding to the format that `actual` may use."""
        value, format = self._walker.expected.values[number], self._walker.format_of(number)
        expected_numbers, actual_numbers = self._walker.expected_values.number(number), self._walker.actual_values.number(actual_number)
        with np.errstate(invalid="ignore"):
            beyond = np.abs(actual_numbers - expected_numbers) > format.unit_roundoff * np.abs(expected_numbers) + format.min_subnormal
        if not beyond.any():
            return Version(actual_number)
        apart = distance(actual_numbers, expected_numbers)
        size = rms(expected_numbers)
        note = f"{value.role} {value.name} itself differs: {int(beyond.sum())} of {counted(expected_numbers.size, 'element')}"
        relative = apart / size if size else float("inf")
        slot = next((k for k, output in enumerate(step.outputs) if output is not None), 0)
        phase = Phase.BUFFER if value.role == Role.BUFFER else step.phase
        dtype = self._walker.actual.values[actual_number].dtype
        coarser = dtype in FORMATS and FORMATS[dtype].precision_bits < format.precision_bits
        verdict = Verdict.REDUCED_PRECISION if coarser else Verdict.MISTAKE
        point = point_at(
            step, slot, MatchedBy.NAME, module=value.name.rpartition(".")[0], phase=phase, verdict=verdict, note=note,
            parts=Parts(relative, added=relative), excess=Excess(float("inf"), float("inf")),
        )  # fmt: skip
        addition = beyond_everything(apart, size, int(np.argmax(beyond)))
        self._walker.found.suspects[-1 - number] = Suspect(
            step, slot, number, actual_number, point=point, addition=addition, how=MatchedBy.NAME, state=SuspectState.FINAL
        )
        self._walker.found.points.append(point)
        self._walker.found.notes.append(note)
        return Version(identical=True)
