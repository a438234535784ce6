"""Judging: what a process does with the cases of a plan: makes each, checks it, checks a flagged one again, and looks at findings."""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..cases.trees import tensors_of
from ..documents.writer import plain
from ..errors import HalfulpError, shortened
from ..process.versions import versions
from ..store.records import NAMELESS, Finding, Row
from ..verdicts import CheckResult, check
from ..verdicts.evidence.measured import measured_excess
from .case_sources import Group, Sample
from .looking import looked_at
from .plan import Plan

ANOTHER_SEED = 1
"""Added to the seed of a plan where a flagged case is checked again."""


class Judging:
    """Makes the rows of one run of a plan. The samples of the last group are kept, so that those of one group should be asked in a row.

    Args:
        plan: the plan. run: the run's name.
    """

    def __init__(self, plan: Plan, run: str) -> None:
        self.plan, self.run = plan, run
        self._versions = versions(*plan.packages)
        self._machine = hashlib.sha256(json.dumps(self._versions, sort_keys=True).encode()).hexdigest()[:12]

    @functools.lru_cache(maxsize=2)  # noqa: B019  # one of these lives as long as its process; two seeds of one group
    def _samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        return self.plan.source(group.part).samples(group, seed)

    def count(self, group: Group) -> int:
        """How many cases a group has.

        Raises:
            HalfulpError: the group can't be made here.
        """
        return len(self._samples(group, self.plan.seed))

    def named(self, group: Group, place: int) -> Row:
        """The row of a case that is made and not checked.

        Raises:
            HalfulpError, Exception: it can't be made.
        """
        return self._named(group, place, self._samples(group, self.plan.seed)[place]())

    def _named(self, group: Group, place: int, sample: Sample) -> Row:
        return replace(self.lost(group, place, ""), setting=sample.setting, case=_case(group, sample.setting), shape=shapes(sample.inputs))

    def row(self, group: Group, place: int) -> Row:
        """The row of one case."""
        start = time.perf_counter()
        row = self._row(group, place)
        return replace(row, seconds=time.perf_counter() - start, finished=time.time())

    def _row(self, group: Group, place: int) -> Row:
        try:
            sample = self._samples(group, self.plan.seed)[place]()
            row = self._named(group, place, sample)
        except Exception as error:  # what a package raises where it lacks something
            return self.lost(group, place, _words(error))
        try:
            row = replace(row, **_figures(_result(sample, self.plan.seed)))
        except Exception as error:
            return replace(row, fault=_words(error))
        return replace(row, bundle=_bundle(group, row)) if row.acceptable is False else row

    def is_asked_again(self, group: Group, row: Row) -> bool:
        """Whether a case is checked with another seed: it has a verdict that is not acceptable, and its inputs depend on the seed."""
        return bool(row.verdict) and row.acceptable is not True and self.plan.source(group.part).is_seeded

    def again(self, group: Group, place: int) -> str:
        """The verdict with another seed, or why there is none."""
        try:
            seed = self.plan.seed + ANOTHER_SEED
            return _result(self._samples(group, seed)[place](), seed).verdict.name
        except Exception as error:
            return f"no verdict ({_words(error)})"

    def lost(self, group: Group, place: int, fault: str) -> Row:
        """The row of a case that has no verdict."""
        return Row(
            self.plan.name, self.run, _case(group, NAMELESS.format(place + 1)), group.source, group.subject, group.actual, group.expected, group.dtype,
            environment=group.environment, setting=NAMELESS.format(place + 1), number=place, seed=self.plan.seed, fault=fault, versions=json.dumps(self._versions), machine=self._machine,
            finished=time.time(),
        )  # fmt: skip

    def finding(self, group: Group, place: int, row: Row) -> Finding:
        """What can be found out about one flagged case.

        Args:
            row: that of the case, which stands for its bundle.
        """
        start = time.perf_counter()
        try:
            sample = self._samples(group, self.plan.seed)[place]()
            found = looked_at(sample, row, self.plan)
        except Exception as error:
            found = {"fault": _words(error)}
        return Finding(row.plan, row.run, row.case, row.bundle, seconds=time.perf_counter() - start, finished=time.time(), **found)


def _case(group: Group, setting: str) -> str:
    return f"{group.key}|{setting}"


def _bundle(group: Group, row: Row) -> str:
    return "|".join((group.key, row.verdict, row.because.partition(",")[0]))


def _result(sample: Sample, seed: int) -> Any:
    if sample.judged is not None:
        return sample.judged()
    return check(sample.actual, sample.expected, sample.inputs, seed=seed, **sample.options)


def _words(error: Exception) -> str:
    """An error in a line: halfulp's own, or its type and message."""
    said = str(error) if isinstance(error, HalfulpError) else f"{type(error).__name__}: {error}"
    return shortened(" ".join(said.split()), lines=1, characters=400)


def _figures(result: Any) -> dict[str, Any]:
    """What a row holds of a result."""
    verdict = result.verdict
    found: dict[str, Any] = {"verdict": verdict.name, "acceptable": result.acceptable}
    if not isinstance(result, CheckResult):  # of a kernel: a fault or a cheat says more than the verdict
        return {**found, "because": result.cheat or result.fault or result.kind, "reason": " ".join(str(result.because).split())}
    found |= {"because": ", ".join(result.because), "reason": result.reason}
    noise, bits = result.find("noise"), result.find("bits")
    if noise is not None:
        found |= {
            "excess": measured_excess(noise).of_limit,
            "error_in_noise": _number(noise.measured.get("rms_in_noise")),
            "relative_error": _number(noise.measured.get("rel_rms")),
        }
    if bits is not None:
        found["largest_ulps"] = _number(bits.measured.get("max_ulps"))
    found["evidence"] = json.dumps(plain([vars(each) for each in result.evidence])) if result.evidence else ""
    return found


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def shapes(inputs: Any) -> str:
    """The shapes of the tensors among the inputs: "3x4, 4"; "()" for a number."""
    return ", ".join("x".join(map(str, tensor.shape)) or "()" for tensor in tensors_of(inputs))
