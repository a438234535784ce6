"""swept_of(): the result of a run, made from what the store holds of it."""

from __future__ import annotations

import json
from typing import Any

from ..errors import InputError
from ..store import Store
from ..store.questions import NEWLY_FLAGGED, THE_RUN_BEFORE
from ..store.run_record import run_records
from .swept import CaseRow, FoundProblem, PastRun, Subject, Swept

_SUBJECT = "subject, actual, expected, dtype, environment"
_SUBJECTS = f"""
SELECT {_SUBJECT}, count(*), count(*) FILTER (acceptable = false), count(*) FILTER (verdict = 'UNDECIDED'), count(*) FILTER (fault <> ''),
arg_max(verdict, severity), max(excess), sum(seconds) FROM results WHERE run = $run
GROUP BY {_SUBJECT} ORDER BY 7 DESC, max(severity) DESC, 11 DESC NULLS LAST, {_SUBJECT}"""
_FINDINGS = f"""
SELECT {_SUBJECT}, verdict, count(*), count(*) FILTER (repeated <> ''), count(*) FILTER (repeated = verdict),
first(struct_pack(setting, shape, reason) ORDER BY "case" = looked_at DESC, excess DESC NULLS LAST, number), max(excess),
any_value(cause), any_value(explanation), any_value(origin), any_value(smallest), any_value(script) FROM results
WHERE run = $run AND acceptable = false GROUP BY bundle, verdict, severity, {_SUBJECT}
ORDER BY severity DESC, max(excess) DESC NULLS LAST, {_SUBJECT}"""
BESIDE = ("python", "numpy", "system", "processor")
"""Versions that the table of runs has no room for."""
MOST = 2000
"""Cases that a result holds; the store has all."""
_WORST = f"""
SELECT {_SUBJECT}, setting, shape, verdict, excess, largest_ulps, seconds, reason, fault FROM results WHERE run = $run
ORDER BY severity DESC, excess DESC NULLS LAST, "case" LIMIT {MOST}"""
_RUNS = f"""
SELECT now.run, any_value(now.versions), count(*), count(*) FILTER (now.acceptable = false), count(*) FILTER (now.fault <> ''),
count(*) FILTER ({NEWLY_FLAGGED} AND now.place < (SELECT max(place) FROM results WHERE plan = $plan)),
count(*) FILTER (now.acceptable IS DISTINCT FROM false AND before.acceptable = false),
now.place FROM results AS now LEFT JOIN results AS before ON {THE_RUN_BEFORE}
WHERE now.plan = $plan GROUP BY now.run, now.place ORDER BY now.place LIMIT 100"""
_MISSING = f"""
SELECT before.place - 1, count(*) FROM results AS before ANTI JOIN results AS now ON {THE_RUN_BEFORE}
WHERE before.plan = $plan GROUP BY before.place"""
"""Of each run but the oldest, by its place: how many cases of the run before it does not have."""


def swept_of(store: Store, plan: str = "", run: str = "") -> Swept:
    """What a run found.

    Args:
        store: the store. plan: the plan's name; by default that of the latest run. run: by default the latest run of the plan.

    Raises:
        InputError: there is no such run.
    """
    store.require_rows()
    with store.view() as asked:
        known = asked(
            "SELECT plan, run FROM results WHERE ($plan = '' OR plan = $plan) AND ($run = '' OR run = $run) GROUP BY plan, run, complete "
            "ORDER BY complete DESC, run DESC LIMIT 1",
            plan=plan,
            run=run,
        )
        if not known:
            named = " ".join(filter(None, (plan, run)))
            raise InputError(
                f"Got {named}, which {store.folder} does not hold. Needed: the name of a plan or a run in it. halfulp results STORE runs lists them. Choose one."
            )
        plan, run = known[0]
        verdicts = dict(
            asked("SELECT verdict, count(*) FROM results WHERE run = $run GROUP BY verdict, severity ORDER BY severity", run=run)
        )
        faults = dict(
            asked("SELECT fault, count(*) FROM results WHERE run = $run AND fault <> '' GROUP BY fault ORDER BY 2 DESC, 1", run=run)
        )
        subjects = tuple(Subject(*values) for values in asked(_SUBJECTS, run=run))
        worst = tuple(CaseRow(*values) for values in asked(_WORST, run=run))
        findings = tuple(_finding(values) for values in asked(_FINDINGS, run=run))
        missing = dict(asked(_MISSING, plan=plan))
        runs = tuple(
            PastRun(run_name, _versions(text), *counts, missing=missing.get(place, 0))
            for run_name, text, *counts, place in asked(_RUNS, plan=plan)
        )
    record = next((record for record in run_records(store.folder) if record.run == run), None)
    return Swept(
        plan, run, str(store.folder), verdicts, subjects, findings, worst, faults, runs, record.seconds if record else 0.0, record.complete if record else True,
    )  # fmt: skip


def _finding(values: Any) -> FoundProblem:
    *subject, verdict, cases, again, repeated, worst, excess, cause, explanation, origin, smallest, script = values
    of_worst = (worst["setting"], worst["shape"], worst["reason"])
    found: tuple[Any, ...] = (*subject, verdict, cases, again, repeated, *of_worst, excess, cause, explanation, origin, smallest, script)
    return FoundProblem(*found)


def _versions(text: str) -> str:
    found = json.loads(text) if text else {}
    return ", ".join(f"{name} {version}" for name, version in found.items() if name not in BESIDE)
