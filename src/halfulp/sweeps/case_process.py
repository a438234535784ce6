"""CaseProcess: a process that checks cases, seen from outside. One that crashes, hangs or takes too much memory costs its case alone."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..backends.workers.wire import Message
from ..backends.workers.worker import Worker, raised
from ..errors import HalfulpError, WorkerError
from ..store.records import Finding, Row
from .case_sources import Group
from .plan import Plan

START_S = 120.0
"""How long importing PyTorch and drawing the samples of an op may take on a busy machine, beside the time of a case."""


class CaseProcess:
    """One process, for one environment of a plan.

    Args:
        plan: the plan. run: the run's name. environment: the name of the variables that the process gets.
    """

    def __init__(self, plan: Plan, run: str, environment: str) -> None:
        self.plan, self.run, self.environment = plan, run, environment
        self._worker = Worker(
            "the case", sys.executable, environment={"OMP_NUM_THREADS": "1", **plan.environments[environment]},
            program=("-m", "halfulp.sweeps.case_server"), answer_s=plan.seconds,
        )  # fmt: skip
        self._ended = False
        self._drawn: tuple[int | None, str] = (None, "")  # by which process, which group

    def count(self, group: Group) -> int:
        """How many cases a group has.

        Raises:
            HalfulpError: the group can't be made, or the process ended.
        """
        count = int(self._asked(group, "count", START_S + self.plan.seconds)["count"])
        self._drawn = (self._worker.process_id, group.key)
        return count

    def rows(self, group: Group, start: int, stop: int, done: frozenset[int] = frozenset()) -> Iterator[Row]:
        """The rows of some cases of a group, but for those that are done."""
        for place in range(start, stop):
            if place not in done and not self._ended:
                yield self.row(group, place)

    def row(self, group: Group, place: int) -> Row:
        """The row of a case; a fault of the process stands in it. Drawing the group, and another seed, have times of their own."""
        start = time.perf_counter()
        try:
            self._draw(group)
            start = time.perf_counter()
            answer = self._asked(group, "row", self.plan.seconds, place=place)
        except HalfulpError as error:
            took_s = time.perf_counter() - start
            return dataclasses.replace(self._named(group, place), fault=fault_of(error), seconds=took_s)
        row = Row(**answer["row"])
        return dataclasses.replace(row, repeated=self._again(group, place)) if answer["again"] else row

    def _draw(self, group: Group) -> None:
        """Have the group drawn, where the process that runs now has not done so."""
        if self._worker.process_id is None or self._drawn != (self._worker.process_id, group.key):
            self.count(group)

    def _again(self, group: Group, place: int) -> str:
        """The verdict with another seed, or why there is none."""
        try:
            return str(self._asked(group, "again", START_S + self.plan.seconds, place=place)["verdict"])
        except HalfulpError as error:
            return f"no verdict ({fault_of(error)})"

    def lost(self, group: Group, error: HalfulpError) -> Row:
        """The row of a group that can't be made."""
        return dataclasses.replace(self.blank(group, 0), fault=fault_of(error))

    def finding(self, group: Group, row: Row) -> Finding:
        """What can be found out about a flagged case."""
        if not self.plan.explain_s:
            return Finding(row.plan, row.run, row.case, row.bundle)
        most = self.plan.seconds + 3.0 * self.plan.explain_s  # an experiment that was begun is ended
        try:
            self._draw(group)
            return Finding(**self._asked(group, "finding", most, place=row.number, row=dataclasses.asdict(row))["finding"])
        except HalfulpError as error:
            return Finding(row.plan, row.run, row.case, row.bundle, fault=fault_of(error))

    def end(self) -> None:
        """End the process now, whatever it is doing."""
        self._ended = True
        self._worker.end()

    def close(self) -> None:
        """End the process, which has nothing to do."""
        self._worker.close()

    def _asked(self, group: Group, ask: str, seconds: float, **more: Any) -> Any:
        if self._ended:
            raise WorkerError("Got a question after the end of the process: it was ended. Needed: another one.")
        first = START_S if self._worker.process_id is None else 0.0
        self._worker.answer_s = first + seconds
        header = {"plan": self.plan.to_json(), "run": self.run, "group": dataclasses.asdict(group), "ask": ask, **more}
        answer = self._worker.ask(Message(header))
        assert answer is not None
        return raised(answer, "the case")

    def _named(self, group: Group, place: int) -> Row:
        """The row of a case that was lost, with its name where a new process can say it."""
        try:
            return Row(**self._asked(group, "name", START_S, place=place)["row"])
        except HalfulpError:
            return self.blank(group, place)

    def blank(self, group: Group, place: int) -> Row:
        """The row of a case of which nothing is known but its place."""
        from .judging import Judging

        return Judging(self.plan, self.run).lost(group, place, "")


def fault_of(error: HalfulpError) -> str:
    """Why a case has no verdict, in a line."""
    words = " ".join(str(error).split())
    what = words.partition("process: it ")[2].partition(". Needed")[0]
    return f"its process {what}" if isinstance(error, WorkerError) and what else words[:400]
