"""sweep: every case of a plan, checked on one machine or many, and kept in a store."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

from ..errors import InputError
from ..files import write_file
from ..process.border import answered
from ..store import Row, RunRecord, Store, Writer
from ..traces.lock import taken
from ..words.stage import Stage
from .case_sources import Group
from .engines import Done, Engine, ProcessEngine
from .plan import Plan, read_plan
from .summary import swept_of
from .swept import Swept

EngineName = Literal["processes", "ray"]


@answered
def sweep(
    plan: str | Path | Plan,
    store: str | Path,
    *,
    engine: EngineName = "processes",
    address: str = "",
    processes: int | None = None,
    resume: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Swept:
    """Check every case of a plan, and keep the results.

    Args:
        plan: a plan, or its file (see `read_plan`).
        store: a folder; it may hold other sweeps, and others may write to it at the same time.
        engine: "processes" on this machine, or "ray" on a cluster. address: of the cluster; "auto" for the one that this machine belongs to, ""
            starts one here; where Ray is initialized, that cluster is taken. processes: how many at a time with the first.
        resume: finish the last run of this plan that was interrupted, however it ended.
        progress: told how far it is, and the time left.

    Returns:
        A `Swept`. After Ctrl-C it holds what was done, and `complete` is False.

    Raises:
        InputError: a plan, a store or an engine that can't be used; `resume` where nothing was interrupted, or somebody else goes on with it.

    Numerics:
        Each case is a `check`. One that is not acceptable, or undecided, is checked again with another seed. Of the flagged cases of one subject
        that have the same verdict by the same evidence, the one with the largest error is made smaller and explained.
    """
    chosen, kept = plan if isinstance(plan, Plan) else read_plan(plan), Store(store)
    _check_options(engine, address, processes)
    told = progress or (lambda _: None)
    told("listing the cases")
    groups = list(chosen.groups())
    record = RunRecord.unfinished(kept.folder, chosen.name, chosen.digest) if resume else RunRecord.begun(chosen.name, chosen.digest)
    (kept.folder / record.run).mkdir(parents=True, exist_ok=True)
    lock = taken(kept.folder / record.run)
    if isinstance(lock, str):
        raise InputError(
            f"Got --resume, and {lock} is working on the run {record.run}. Needed: a run that nobody is working on. Its cases would be checked "
            "twice. Wait for it, or start a new run without --resume."
        )
    record = record.write(kept.folder)
    start, complete = time.monotonic(), False
    runner: Engine | None = None
    try:
        runner = _runner(engine, chosen, record.run, address, processes)
        with kept.writer(record.run) as writer:
            _check_all(runner, groups, _done(kept, record.run), writer, told)
            _look_at_all(runner, groups, kept, record.run, writer, told)
        complete = True
    except KeyboardInterrupt:
        pass
    finally:
        if runner is not None:
            runner.close()
        record.write(kept.folder, seconds=time.monotonic() - start, complete=complete)
        lock.release()
    if not complete and not kept.done(record.run):  # interrupted before there was anything to show
        raise KeyboardInterrupt
    _write_scripts(kept, record.run)
    return swept_of(kept, chosen.name, record.run)


def _check_options(engine: str, address: str, processes: int | None) -> None:
    """Refuse what would be ignored, or never end.

    Raises:
        InputError: an engine that there isn't, or an option of the other one.
    """
    names = get_args(EngineName)
    if engine not in names:
        raise InputError(f"Got engine={engine!r}. Needed: one of {', '.join(names)}. Each runs cases elsewhere. Name one of them.")
    if engine == "processes" and address:
        raise InputError(
            f"Got address={address!r} with the engine processes. Needed: engine='ray', which has an address. Name it, or leave the address out."
        )
    if engine == "ray" and processes is not None:
        raise InputError(
            f"Got processes={processes} with the engine ray. Needed: the engine processes for that number. Ray runs as many tasks as its cluster has room for. "
            "Leave it out."
        )
    if processes is not None and processes < 1:
        raise InputError(
            f"Got processes={processes}. Needed: at least 1. Each checks one case at a time. Leave it out for one for each processor."
        )


def _runner(engine: str, plan: Plan, run: str, address: str, processes: int | None) -> Engine:
    if engine == "ray":
        from .ray_engine import RayEngine

        return RayEngine(plan, run, address)
    return ProcessEngine(plan, run, processes)


def _done(store: Store, run: str) -> Done:
    found: dict[str, set[int]] = {}
    for group, number in store.done(run):
        found.setdefault(group, set()).add(number)
    return {group: frozenset(numbers) for group, numbers in found.items()}


def _check_all(engine: Engine, groups: list[Group], done: Done, writer: Writer, told: Callable[[str], None]) -> None:
    """Every case that has no row gets one."""
    known, opened, rows, flagged = 0, 0, 0, 0

    def counted(count: int) -> None:
        nonlocal known, opened
        known, opened = known + count, opened + 1

    for row in engine.rows(groups, done, counted):
        writer.add(row)
        rows, flagged = rows + 1, flagged + (row.acceptable is False)
        of = round(known * len(groups) / max(1, opened))
        told(
            Stage(
                f"{row.subject} {row.setting}, {rows:,} of {'' if opened == len(groups) else 'about '}{of:,} cases, {flagged:,} flagged",
                rows,
                max(rows, of),
            )
        )


def _look_at_all(engine: Engine, groups: list[Group], store: Store, run: str, writer: Writer, told: Callable[[str], None]) -> None:
    """The case with the largest error of each bundle is looked at, where that was not done before."""
    writer.flush()
    by_key: Mapping[str, Group] = {group.key: group for group in groups}
    worst: dict[str, Row] = {}
    for row in store.rows(run, "acceptable = false AND bundle NOT IN (SELECT bundle FROM findings WHERE findings.run = results.run)"):
        held = worst.get(row.bundle)
        if held is None or _size(row) > _size(held):
            worst[row.bundle] = row
    named = [(by_key.get(row.case.removesuffix(f"|{row.setting}")), row) for row in sorted(worst.values(), key=lambda row: row.case)]
    chosen = [(group, row) for group, row in named if group is not None]
    for place, finding in enumerate(engine.findings(chosen), 1):
        writer.add(finding)
        told(Stage(f"looking at findings, {place} of {len(chosen)}", place, len(chosen)))


def _size(row: Row) -> tuple[float, int]:
    """By which the worst of a bundle is chosen: the largest error, and of equals the first case."""
    return (-1.0 if row.excess is None or row.excess != row.excess else row.excess, -row.number)


def _write_scripts(store: Store, run: str) -> None:
    """The programs of the findings, as files beside the rows."""
    for name, script in scripts_of(store, run).items():
        write_file(store.folder / run / "findings" / name, script)


def scripts_of(store: Store, run: str) -> dict[str, str]:
    """File name -> program, of each finding of a run that has one."""
    with store.view() as asked:
        found = asked(
            "SELECT DISTINCT subject, dtype, verdict, script FROM results WHERE run = $run AND script <> '' ORDER BY ALL", run=run
        )
    names: dict[str, str] = {}
    seen = Counter[str]()
    for subject, dtype, verdict, script in found:
        stem = re.sub(r"[^A-Za-z0-9]+", "_", f"{subject}_{dtype}_{verdict}").strip("_").lower()
        seen[stem] += 1
        names[f"{stem}{f'_{seen[stem]}' if seen[stem] > 1 else ''}.py"] = script
    return names
