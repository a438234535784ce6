"""How much of the time of their workers do the engines use, and does a lost worker lose a case?

Cases of one second each, which wait and do not compute, so that more workers than processors show the same. Efficiency: the seconds of all cases over
the seconds of all workers. With Ray, one worker process is killed in the middle; its tasks have to run again, and the rows have to be those of one machine alone.

    python -W ignore -m benchmarks.sweeps.engines [--cases 120] [--workers 4] [--without-ray]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import signal
import subprocess
import tempfile
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import halfulp
from halfulp.store import Row
from halfulp.sweeps.judging import Judging
from halfulp.sweeps.plan import read_plan

LEAST = 0.85


def plan_file(folder: Path, cases: int) -> Path:
    file = folder / "waiting.py"
    file.write_text(
        textwrap.dedent(f"""
        import time
        import torch

        explain_s = 0.0
        subjects = [f"part {{number}}" for number in range({max(1, cases // 20)})]
        waited = set()

        def cases(subject, seed):
            for number in range(20):
                def late(x, key=(subject, number)):
                    if key not in waited:
                        waited.add(key)
                        time.sleep(1.0)
                    return x.exp()
                yield {{"actual": late, "expected": torch.exp, "inputs": (torch.arange(8.0) + number,)}}
    """)
    )
    return file


def rows_of(store: Path, run: str) -> list[tuple[Any, ...]]:
    return sorted((row.case, row.verdict, row.excess, row.fault) for row in halfulp.Store(store).rows(run))


def measured(name: str, plan: Path, store: Path, workers: int, **options: Any) -> tuple[list[tuple[Any, ...]], float]:
    start = time.perf_counter()
    found = halfulp.sweep(plan, store, **options)
    seconds = time.perf_counter() - start
    rows = list(halfulp.Store(store).rows(found.run))
    began = min(row.finished - row.seconds for row in rows)
    working = max(row.finished for row in rows) - began
    spent = sum(row.seconds for row in rows)
    print(f"figure {name}_cases {len(rows)} cases")
    print(f"figure {name}_seconds {seconds:.3g} s")
    print(f"figure {name}_efficiency {spent / (workers * working):.3g} ratio")
    print(f"figure {name}_efficiency_with_start {spent / (workers * seconds):.3g} ratio")
    return rows_of(store, found.run), spent / (workers * working)


KILLED: list[int] = []


def kill_one_worker(after_s: float) -> None:
    """One of Ray's worker processes, whichever comes first."""
    time.sleep(after_s)
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    workers = [int(line.split()[0]) for line in listed.splitlines() if "ray::_work" in line]
    if workers:
        os.kill(workers[0], signal.SIGKILL)
        KILLED.append(workers[0])
        print(f"killed worker {workers[0]} of {len(workers)}")


def driver_cost(plan: Path) -> float:
    """Seconds that the process which hands out the work spends on one row: what limits a cluster of many workers."""
    chosen = read_plan(plan)
    judging = Judging(chosen, "run")
    group = next(iter(chosen.groups()))
    sent = json.dumps([dataclasses.asdict(judging.row(group, 0))] * 64)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        with halfulp.Store(folder).writer("run") as writer:
            for _ in range(100):
                for row in json.loads(sent):
                    writer.add(Row(**row))
        return (time.process_time() - start) / 6400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--without-ray", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = plan_file(folder, options.cases)
        alone, efficiency = measured("processes", plan, folder / "alone", options.workers, processes=options.workers)
        low = efficiency < LEAST
        cost = driver_cost(plan)
        print(f"figure driver_seconds_per_row {cost:.3g} s")
        print(f"figure workers_that_one_driver_feeds_with_cases_of_a_second {1.0 / cost:.3g} workers")
        print(f"figure workers_that_one_driver_feeds_with_cases_of_50_ms {0.05 / cost:.3g} workers")
        if not options.without_ray:
            import ray

            ray.init(num_cpus=options.workers, log_to_driver=False, include_dashboard=False)
            threading.Thread(target=kill_one_worker, args=(options.cases / options.workers / 2 + 10.0,), daemon=True).start()
            together, efficiency = measured("ray", plan, folder / "together", options.workers, engine="ray")
            ray.shutdown()
            same = alone == together
            print(f"figure ray_rows_as_alone {int(same)} yes")
            print(f"figure ray_workers_killed {len(KILLED)} workers")
            low = low or efficiency < LEAST or not same or not KILLED
    if low:
        raise SystemExit(f"an efficiency is below {LEAST}, rows differ, or no worker was killed")


if __name__ == "__main__":
    main()
