"""RayEngine: the cases of a plan as tasks of a Ray cluster.

A task keeps a process of its own for cases, as `ProcessEngine` does, so that one that crashes costs itself alone and the rows are the same. What
Ray adds: the tasks run on any machine of the cluster that has what they need, and those of a lost machine run again on another one.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import HalfulpError, InputError, install_command
from ..store.records import Finding, Row
from .case_process import CaseProcess
from .case_sources import Group
from .engines import Counted, Done, Pace
from .plan import Plan

RETRIES = 3
"""How often a task is run again whose machine was lost."""
WAITING = 3
"""Tasks for each processor of the cluster that are handed to Ray at a time: the next one is there when one ends."""


class RayEngine:
    """Tasks of a Ray cluster.

    Args:
        plan: the plan; its `resources` are what each task asks for. run: the run's name. address: of the cluster; "auto" for the one that this
            machine belongs to, "" starts one on this machine.

    Raises:
        InputError: Ray is missing, or there is no cluster.
    """

    def __init__(self, plan: Plan, run: str, address: str = "") -> None:
        try:
            import ray  # pyright: ignore[reportMissingImports]
        except ModuleNotFoundError as error:
            raise InputError(
                f"Got no package ray. Needed: Ray. Cases are sent to other machines with it. Install it: {install_command('ray')}."
            ) from error
        self.plan, self.run = plan, run
        self._ray: Any = ray
        self._began = not ray.is_initialized()
        if self._began:
            try:
                ray.init(address=address or "local", log_to_driver=False, include_dashboard=False, configure_logging=False)
            except (ConnectionError, ValueError) as error:
                raise InputError(
                    f"Got the address {address!r}, where no cluster of Ray answers ({' '.join(str(error).split())[:160]}). Needed: a running cluster. ray start --head "
                    "starts one. Start it, or leave --address out."
                ) from error
        self._check_resources()
        # Without max_calls, Ray ends the worker of a task that asked for a GPU after it, and its process for cases with it.
        asked: dict[str, Any] = {"num_cpus": 1.0, "max_retries": RETRIES, "max_calls": 0, **_resources(plan.resources)}
        remote: Any = ray.remote
        self._task: Any = remote(**asked)(_work)
        self._pace = Pace()
        self._waiting: set[Any] = set()

    def _check_resources(self) -> None:
        """Refuse what no machine has: such a task would wait for ever.

        Raises:
            InputError: there is such a thing.
        """
        machines = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        if any(all(machine.get(name, 0.0) >= amount for name, amount in self.plan.resources.items()) for machine in machines):
            return
        wanted = ", ".join(f"{name} = {amount:g}" for name, amount in self.plan.resources.items())
        if self._began:
            self._ray.shutdown()
        raise InputError(
            f"Got resources with {wanted}, which none of the {len(machines)} machines of the cluster has. Needed: a machine with all of them. A case "
            "would wait for one forever. Start one, or change the plan."
        )

    def rows(self, groups: Sequence[Group], done: Done, counted: Counted) -> Iterator[Row]:
        """See `Engine`."""
        unopened, pieces = list(reversed(groups)), list[tuple[Group, int, int]]()
        waiting: dict[Any, tuple[Group, int, int] | Group] = {}
        while unopened or pieces or waiting:
            while len(waiting) < self._most() and (pieces or unopened):
                if pieces:
                    piece = self._piece(pieces)
                    taken = sorted(done.get(piece[0].key, frozenset()))
                    waiting[self._sent(piece[0], "rows", start=piece[1], stop=piece[2], done=taken)] = piece
                else:
                    group = unopened.pop()
                    waiting[self._sent(group, "count")] = group
            for task in self._ended(waiting):
                what, answer = waiting.pop(task), self._answer(task)
                rows = [Row(**row) for row in answer.get("rows", ())]
                if not isinstance(what, Group):
                    if "fault" in answer:
                        own = done.get(what[0].key, frozenset())
                        rows = [row for row in self._lost(what, answer["fault"]) if row.number not in own]
                    for row in rows:
                        self._pace.took(row.seconds)
                    yield from rows
                    continue
                taken, count = done.get(what.key, frozenset()), int(answer.get("count", 0))
                if "fault" in answer:
                    rows = self._lost((what, 0, 1), answer["fault"])
                counted(count - len(taken) if count else len(rows))
                if count:
                    pieces.append((what, 0, count))
                yield from (row for row in rows if row.number not in taken)

    def findings(self, rows: Sequence[tuple[Group, Row]]) -> Iterator[Finding]:
        """See `Engine`."""
        left = list(reversed(rows))
        waiting: dict[Any, Row] = {}
        while left or waiting:
            while left and len(waiting) < self._most():
                group, row = left.pop()
                waiting[self._sent(group, "finding", row=dataclasses.asdict(row))] = row
            for task in self._ended(waiting):
                row, answer = waiting.pop(task), self._answer(task)
                if "finding" in answer:
                    yield Finding(**answer["finding"])
                else:
                    yield Finding(row.plan, row.run, row.case, row.bundle, fault=answer["fault"])

    def close(self) -> None:
        """See `Engine`."""
        for task in self._waiting:
            self._ray.cancel(task, force=True)
        self._waiting.clear()
        if self._began:
            self._ray.shutdown()

    def _ended(self, waiting: Iterable[Any]) -> list[Any]:
        """All tasks that have ended; at least one. Asking for one at a time would take a millisecond for each on a large cluster."""
        tasks = list(waiting)
        self._ray.wait(tasks, num_returns=1)
        ended, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        return ended

    def _most(self) -> int:
        return max(2, WAITING * int(self._ray.cluster_resources().get("CPU", 1)))

    def _piece(self, pieces: list[tuple[Group, int, int]]) -> tuple[Group, int, int]:
        """The next cases of a group."""
        group, start, stop = pieces.pop()
        end = min(start + self._pace.size, stop)
        if end < stop:
            pieces.append((group, end, stop))
        return group, start, end

    def _sent(self, group: Group, ask: str, **more: Any) -> Any:
        task = self._task.remote(self.plan.to_json(), self.run, json.dumps(dataclasses.asdict(group)), ask, json.dumps(more))
        self._waiting.add(task)
        return task

    def _answer(self, task: Any) -> Any:
        """What a task gave; why it gave nothing."""
        self._waiting.discard(task)
        try:
            return json.loads(self._ray.get(task))
        except self._ray.exceptions.RayTaskError as error:  # of the task itself: it would fail again
            said = " ".join(str(error).split())
            return {"fault": f"its task failed: {said[-300:]}"}
        except self._ray.exceptions.RayError as error:
            return {"fault": f"its machine was lost {RETRIES + 1} times ({type(error).__name__})"}

    def _lost(self, piece: tuple[Group, int, int], fault: str) -> list[Row]:
        group, start, stop = piece
        process = CaseProcess(self.plan, self.run, group.environment)
        return [dataclasses.replace(process.blank(group, place), fault=fault) for place in range(start, stop)]


def _resources(wanted: Any) -> dict[str, Any]:
    """What a task asks for, in the arguments of Ray."""
    names = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
    found: dict[str, Any] = {names[name]: amount for name, amount in wanted.items() if name in names}
    others = {name: amount for name, amount in wanted.items() if name not in names}
    return {**found, **({"resources": others} if others else {})}


@functools.lru_cache(maxsize=4)
def _process(plan: str, run: str, environment: str) -> CaseProcess:
    """The process for cases that a worker of Ray keeps."""
    return CaseProcess(Plan.from_json(plan), run, environment)


def _work(plan: str, run: str, group_text: str, ask: str, more_text: str) -> str:
    """One task: on a worker of Ray, ask the process that it keeps."""
    group, more = Group(**json.loads(group_text)), json.loads(more_text)
    process = _process(plan, run, group.environment)
    answer: Callable[[], dict[str, Any]] = {
        "count": lambda: _counted(process, group),
        "rows": lambda: {
            "rows": [dataclasses.asdict(row) for row in process.rows(group, more["start"], more["stop"], frozenset(more["done"]))]
        },
        "finding": lambda: {"finding": dataclasses.asdict(process.finding(group, Row(**more["row"])))},
    }[ask]
    return json.dumps(answer())


def _counted(process: CaseProcess, group: Group) -> dict[str, Any]:
    try:
        return {"count": process.count(group)}
    except HalfulpError as error:
        return {"count": 0, "rows": [dataclasses.asdict(process.lost(group, error))]}
