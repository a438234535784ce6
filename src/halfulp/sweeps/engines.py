"""Engines: where the cases of a plan are checked. Each gives the same rows."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from ..errors import HalfulpError
from ..store.records import Finding, Record, Row
from .case_process import CaseProcess
from .case_sources import Group
from .plan import Plan

PIECE, PIECE_S = 64, 4.0
"""A process takes cases of its group for so many seconds at a time, and not more than so many: the 1,440 samples of max_pool2d alone would keep
one process for minutes, at the end of a sweep when the others have nothing to do. Handing out a piece takes milliseconds, a thousandth of it."""

Done = Mapping[str, frozenset[int]]
"""The key of a group -> the cases of it that have a row already."""
Counted = Callable[[int], None]
"""Told of each group how many of its cases are to be checked."""
Item = TypeVar("Item")
Found = TypeVar("Found", bound=Record)


class Engine(Protocol):
    """Where cases are checked."""

    def rows(self, groups: Sequence[Group], done: Done, counted: Counted) -> Iterator[Row]:
        """The rows of all cases of all groups, in any order."""
        ...

    def findings(self, rows: Sequence[tuple[Group, Row]]) -> Iterator[Finding]:
        """What can be found out about flagged cases, in any order."""
        ...

    def close(self) -> None:
        """End all that was started."""
        ...


class ProcessEngine:
    """Processes on this machine.

    Args:
        plan: the plan. run: the run's name. processes: how many at a time; by default one for each processor that this process may use.
    """

    def __init__(self, plan: Plan, run: str, processes: int | None = None) -> None:
        self.plan, self.run = plan, run
        self.processes = processes or processors()
        self._started: list[CaseProcess] = []
        self._idle: dict[str, list[CaseProcess]] = {}
        self._lock = threading.Lock()

    def rows(self, groups: Sequence[Group], done: Done, counted: Counted) -> Iterator[Row]:
        """See `Engine`."""
        pieces = _Pieces(groups)

        def work(process: CaseProcess, piece: _Piece) -> Iterator[Row]:
            group, start, stop = piece
            taken = done.get(group.key, frozenset())
            if stop is not None:
                for row in process.rows(group, start, stop, taken):
                    pieces.took(row.seconds)
                    yield row
                return
            try:
                count = process.count(group)
            except HalfulpError as error:
                pieces.opened(group, 0)
                counted(1)
                if 0 not in taken:
                    yield process.lost(group, error)
                return
            counted(count - len(taken))
            pieces.opened(group, count)

        yield from self._side_by_side(pieces.take, lambda piece: piece[0], work)

    def findings(self, rows: Sequence[tuple[Group, Row]]) -> Iterator[Finding]:
        """See `Engine`."""
        left = deque(rows)

        def take(_: object) -> tuple[Group, Row] | None:
            with self._lock:
                return left.popleft() if left else None

        def work(process: CaseProcess, item: tuple[Group, Row]) -> Iterator[Finding]:
            yield process.finding(*item)

        yield from self._side_by_side(take, lambda item: item[0], work)

    def close(self) -> None:
        """See `Engine`."""
        for process in self._started:
            process.end()

    def _side_by_side(
        self,
        take: Callable[[Item | None], Item | None],
        group_of: Callable[[Item], Group],
        work: Callable[[CaseProcess, Item], Iterable[Found]],
    ) -> Iterator[Found]:
        """What work gives for each item, as it comes."""
        found: queue.Queue[Found | BaseException | None] = queue.Queue()
        stopped = threading.Event()

        def run() -> None:
            process: CaseProcess | None = None
            item: Item | None = None
            try:
                while not stopped.is_set() and (item := take(item)) is not None:
                    process = self._process(group_of(item).environment, process)
                    for record in work(process, item):
                        found.put(record)
            except BaseException as error:  # raised where the records are read
                found.put(error)
            finally:
                if process is not None:
                    with self._lock:
                        self._idle.setdefault(process.environment, []).append(process)
                found.put(None)

        for place in range(self.processes):
            threading.Thread(target=run, daemon=True, name=f"halfulp-sweep-{place}").start()
        running = self.processes
        try:
            while running:
                record = found.get()
                if record is None:
                    running -= 1
                elif isinstance(record, BaseException):
                    raise record
                else:
                    yield record
        finally:
            stopped.set()

    def _process(self, environment: str, held: CaseProcess | None) -> CaseProcess:
        """A process of an environment: the one at hand, an idle one, or a new one."""
        if held is not None and held.environment == environment:
            return held
        if held is not None:  # groups come one environment after the other: it is not needed again
            held.close()
        with self._lock:
            idle = self._idle.get(environment)
            if idle:
                return idle.pop()
            process = CaseProcess(self.plan, self.run, environment)
            self._started.append(process)
            return process


class Pace:
    """How many cases a process takes at a time, by how long cases took so far; one before that is known."""

    def __init__(self) -> None:
        self._count, self._seconds = 0, 0.0

    def took(self, seconds: float) -> None:
        """A case took so long."""
        self._count, self._seconds = self._count + 1, self._seconds + seconds

    @property
    def size(self) -> int:
        """So many, at least one."""
        return max(1, min(PIECE, int(PIECE_S * self._count / self._seconds))) if self._seconds else 1


_Piece = tuple[Group, int, "int | None"]


class _Pieces:
    """Cases that no process has taken: groups that nobody has opened, and what is left of those that somebody has."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._unopened = deque(groups)
        self._left: dict[str, tuple[Group, int, int]] = {}
        self._opening = 0
        self._changed = threading.Condition()
        self._pace = Pace()

    def take(self, held: _Piece | None) -> _Piece | None:
        """The next piece for a process: of the group that it has at hand, else a group to open, else a part of another's group.

        Returns:
            A group with its first case and the one behind the last; None for the last of a group that is to be opened. None when all are
            taken: until then it waits, because a group that is being opened may have more.
        """
        with self._changed:
            while not self._unopened and not self._left and self._opening:
                self._changed.wait()
            if held is not None and held[0].key in self._left:
                return self._piece(held[0].key)
            if self._unopened:
                self._opening += 1
                return self._unopened.popleft(), 0, None
            if not self._left:
                return None
            return self._piece(max(self._left, key=lambda key: self._left[key][2] - self._left[key][1]))

    def opened(self, group: Group, count: int) -> None:
        """A group has so many cases."""
        with self._changed:
            self._opening -= 1
            if count:
                self._left[group.key] = (group, 0, count)
            self._changed.notify_all()

    def took(self, seconds: float) -> None:
        """A case took so long."""
        with self._changed:
            self._pace.took(seconds)

    def _piece(self, key: str) -> _Piece:
        group, start, stop = self._left.pop(key)
        end = min(start + self._pace.size, stop)
        if end < stop:
            self._left[key] = (group, end, stop)
        return group, start, end


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
