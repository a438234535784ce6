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

PIECE = 64
"""The most cases of a group that one process takes at a time: the 1,440 samples of max_pool2d alone would keep one process for minutes."""

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
            if stop is None:
                try:
                    count = process.count(group)
                except HalfulpError as error:
                    pieces.opened(group, 0)
                    counted(1)
                    if 0 not in taken:
                        yield process.lost(group, error)
                    return
                pieces.opened(group, count)
                counted(count - len(taken))
                stop = min(PIECE, count)
            yield from process.rows(group, start, stop, taken)

        yield from self._side_by_side(pieces.take, lambda piece: piece[0], work)

    def findings(self, rows: Sequence[tuple[Group, Row]]) -> Iterator[Finding]:
        """See `Engine`."""
        left = deque(rows)

        def take() -> tuple[Group, Row] | None:
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
        self, take: Callable[[], Item | None], group_of: Callable[[Item], Group], work: Callable[[CaseProcess, Item], Iterable[Found]]
    ) -> Iterator[Found]:
        """What work gives for each item, as it comes."""
        found: queue.Queue[Found | BaseException | None] = queue.Queue()
        stopped = threading.Event()

        def run() -> None:
            process: CaseProcess | None = None
            try:
                while not stopped.is_set() and (item := take()) is not None:
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
        if held is not None:
            held.close()
        with self._lock:
            idle = self._idle.get(environment)
            if idle:
                return idle.pop()
            process = CaseProcess(self.plan, self.run, environment)
            self._started.append(process)
            return process


_Piece = tuple[Group, int, "int | None"]


class _Pieces:
    """Cases that no process has taken: groups that nobody has opened, and pieces of those that somebody has."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._left: deque[_Piece] = deque((group, 0, None) for group in groups)
        self._opening = 0
        self._changed = threading.Condition()

    def take(self) -> _Piece | None:
        """The next piece; None when all are taken. It waits while another process opens a group, which may have more."""
        with self._changed:
            while not self._left and self._opening:
                self._changed.wait()
            if not self._left:
                return None
            piece = self._left.popleft()
            self._opening += piece[2] is None
            return piece

    def opened(self, group: Group, count: int) -> None:
        """A group has so many cases: those beyond the first piece are for whoever comes next."""
        with self._changed:
            self._opening -= 1
            self._left.extendleft(reversed([(group, place, min(place + PIECE, count)) for place in range(PIECE, count, PIECE)]))
            self._changed.notify_all()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
