"""How many of PyTorch's own samples are flagged in float32, in what time, and how many a rule of thumb flags beside it?

Every op that runs on the CPU, on its own samples, against itself in float64 (`hunts/opinfo.toml`). Beside it, on the same pairs:
`torch.testing.assert_close` with its default tolerances for float32. What is flagged is listed; docs/found/opinfo.md says what each is.

    python -W ignore -m benchmarks.sweeps.opinfo [--store FOLDER] [--processes N] [--only PATTERN] [--resume]
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from pathlib import Path

import torch

import halfulp
from halfulp.cli.progress import steps_on_stderr
from halfulp.sweeps import Plan, read_plan

PLAN = Path(__file__).parents[2] / "hunts" / "opinfo.toml"
MOST_FLAGGED = 0.03


def by_assert_close(plan: Plan) -> tuple[int, int]:
    """How many samples `assert_close` flags, and how many it can compare."""
    flagged = compared = 0
    for group in plan.groups():
        for make in plan.source(group.part).samples(group, plan.seed):
            try:
                sample = make()
                keywords = sample.options.get("keywords") or {}
                actual, expected = sample.actual(*sample.inputs, **keywords), sample.expected(*sample.inputs, **keywords)
            except Exception:
                continue
            try:
                torch.testing.assert_close(actual, expected, equal_nan=True)
            except AssertionError:
                flagged += 1
            except Exception:  # types that it doesn't know
                continue
            compared += 1
    return flagged, compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    plan = read_plan(PLAN)
    if options.only:
        plan = dataclasses.replace(plan, sources=[{**plan.sources[0], "ops": [options.only]}])
    with tempfile.TemporaryDirectory() as folder, steps_on_stderr(False) as progress:
        store = options.store or Path(folder)
        judged = dataclasses.replace(plan, explain_s=0.0)  # explaining is another question
        start = time.perf_counter()
        found = halfulp.sweep(judged, store, processes=options.processes, resume=options.resume, progress=progress)
        seconds = time.perf_counter() - start
        rows = halfulp.Store(store).ask(
            f"SELECT subject, verdict, count(*), max(excess), any_value(reason) FROM results WHERE run = '{found.run}' AND acceptable = false GROUP BY 1, 2 ORDER BY 3 DESC, 1"
        )
    for subject, verdict, count, excess, reason in rows.rows:
        print(f"{subject}: {count} {verdict}, up to {excess if excess is None else round(excess, 2)} times the limit. {reason[:200]}")
    for fault, count in found.faults.items():
        print(f"no verdict ({count}): {fault[:200]}")
    start = time.perf_counter()
    with torch.no_grad():
        others, compared = by_assert_close(plan)
    peer_seconds = time.perf_counter() - start
    flagged = sum(problem.cases for problem in found.findings)
    judged_count = found.cases - found.verdicts.get("", 0)
    print(f"figure opinfo_cases {found.cases} cases")
    print(f"figure opinfo_without_verdict {found.verdicts.get('', 0)} cases")
    print(f"figure opinfo_undecided {found.verdicts.get('UNDECIDED', 0)} cases")
    print(f"figure opinfo_flagged {100 * flagged / max(1, judged_count):.3g} %")
    print(f"figure opinfo_subjects_flagged {len({problem.subject for problem in found.findings})} ops")
    if not options.resume:  # then it is the time of the rest
        print(f"figure opinfo_seconds {seconds:.3g} s")
    print(f"figure opinfo_flagged_by_assert_close {100 * others / max(1, compared):.3g} %")
    print(f"figure opinfo_seconds_of_assert_close {peer_seconds:.3g} s")
    if flagged > MOST_FLAGGED * judged_count:
        raise SystemExit(f"more than {MOST_FLAGGED:.0%} are flagged")


if __name__ == "__main__":
    main()
