"""The ready questions to a store, each with its SQL.

They ask the view `results`, which has the columns of `Row` and a `place` that numbers the runs of a plan from the latest that ended, which is
1. The `severity` of a verdict orders them from IDENTICAL to MISTAKE.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One ready question.

    Attributes:
        name: by which it is asked. words: what it asks, in a sentence. sql: the query.
    """

    name: str
    words: str
    sql: str


_SUBJECT = "subject, actual, expected, dtype, environment"
THE_RUN_BEFORE = 'before.plan = now.plan AND before."case" = now."case" AND before.place = now.place + 1'
"""How a case is joined with itself in the run before."""
NEWLY_FLAGGED = "now.acceptable = false AND before.acceptable IS DISTINCT FROM false"
_RANK = "CASE WHEN {0}.acceptable THEN 0 WHEN {0}.verdict = '' THEN 9 ELSE {0}.severity END"
"""What is acceptable is not worse than what is: bits may change with a version. Nothing is worse than no verdict, which may be anything."""

QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "runs",
            "Which sweeps are in the store?",
            """SELECT plan, run, count(*) AS cases, count(*) FILTER (acceptable = false) AS flagged, count(*) FILTER (fault <> '') AS faults,
            count(DISTINCT machine) AS machines, round(sum(seconds), 1) AS seconds FROM results GROUP BY plan, run ORDER BY run DESC""",
        ),
        Question(
            "verdicts",
            "How often was each verdict reached, in the latest run of each plan?",
            """SELECT plan, CASE WHEN verdict = '' THEN 'no verdict' ELSE verdict END AS verdict, count(*) AS cases,
            count(DISTINCT subject) AS subjects FROM results WHERE place = 1 GROUP BY plan, results.verdict, severity
            ORDER BY plan, severity""",
        ),
        Question(
            "flagged",
            "Which cases are not acceptable, in the latest run of each plan?",
            """SELECT subject, actual, expected, dtype, setting, shape, verdict, excess, cause FROM results
            WHERE place = 1 AND acceptable = false ORDER BY severity DESC, excess DESC NULLS LAST, subject, "case" """,
        ),
        Question(
            "new",
            "Which cases are not acceptable now, and in the run before were acceptable, undecided, without a verdict or missing?",
            f"""SELECT now.subject, now.actual, now.expected, now.dtype, now.shape, now.setting,
            CASE WHEN before.verdict IS NULL THEN 'not there' WHEN before.verdict = '' THEN 'no verdict' ELSE before.verdict END AS before,
            now.verdict, now.excess FROM results AS now LEFT JOIN results AS before ON {THE_RUN_BEFORE} WHERE now.place = 1 AND {NEWLY_FLAGGED}
            ORDER BY now.severity DESC, now.excess DESC NULLS LAST, now."case" """,
        ),
        Question(
            "worse",
            "Which verdicts are worse than in the run before, and which are better?",
            f"""SELECT now.subject, now.actual, now.expected, now.dtype, now.shape, now.setting,
            coalesce(nullif(before.verdict, ''), 'no verdict') AS before, coalesce(nullif(now.verdict, ''), 'no verdict') AS now,
            {_RANK.format("now")} > {_RANK.format("before")} AS worse, before.excess AS excess_before, now.excess, now.fault
            FROM results AS now JOIN results AS before ON {THE_RUN_BEFORE}
            WHERE now.place = 1 AND {_RANK.format("now")} <> {_RANK.format("before")} ORDER BY worse DESC, now.severity DESC, now."case" """,
        ),
        Question(
            "missing",
            "Which cases of the run before are not in the latest run of their plan?",
            f"""SELECT before.subject, before.actual, before.expected, before.dtype, before.shape, before.setting, before.verdict, before.fault
            FROM results AS before ANTI JOIN results AS now ON {THE_RUN_BEFORE} WHERE before.place = 2 ORDER BY before.severity DESC, before."case" """,
        ),
        Question(
            "ops",
            "How does each subject fare, in the latest run of each plan?",
            f"""SELECT plan, {_SUBJECT}, count(*) AS cases, count(*) FILTER (acceptable = false) AS flagged,
            count(*) FILTER (verdict = 'UNDECIDED') AS undecided, count(*) FILTER (fault <> '') AS faults, max(excess) AS worst_excess,
            arg_max(verdict, severity) AS worst_verdict FROM results WHERE place = 1 GROUP BY plan, {_SUBJECT}
            ORDER BY flagged DESC, worst_excess DESC NULLS LAST, plan, {_SUBJECT}""",
        ),
        Question(
            "causes",
            "What explains the cases that are not acceptable, in the latest run of each plan?",
            """SELECT CASE WHEN cause = '' THEN 'not explained' ELSE cause END AS cause, count(*) AS cases, count(DISTINCT subject) AS subjects,
            min(subject) AS for_example, max(excess) AS worst_excess FROM results WHERE place = 1 AND acceptable = false
            GROUP BY results.cause ORDER BY cases DESC, cause""",
        ),
        Question(
            "flaky",
            "Which cases change their verdict with the seed, or between runs of one plan on the same machine with nothing changed?",
            """SELECT subject, actual, expected, dtype, shape, setting, string_agg(DISTINCT verdict, ', ' ORDER BY verdict) AS verdicts,
            coalesce(max(nullif(repeated, '')), '') AS with_another_seed, count(*) AS runs
            FROM results WHERE verdict <> '' GROUP BY plan, digest, "case", machine, subject, actual, expected, dtype, shape, setting
            HAVING count(DISTINCT verdict) > 1 OR count(*) FILTER (repeated NOT IN ('', verdict) AND NOT starts_with(repeated, 'no verdict')) > 0
            ORDER BY subject, "case" """,
        ),
        Question(
            "faults",
            "Why do cases have no verdict, in the latest run of each plan?",
            """SELECT fault, count(*) AS cases, count(DISTINCT subject) AS subjects, min(subject) AS for_example FROM results
            WHERE place = 1 AND fault <> '' GROUP BY fault ORDER BY cases DESC, fault""",
        ),
        Question(
            "slow",
            "Which cases took the longest, in the latest run of each plan?",
            """SELECT subject, actual, expected, dtype, shape, setting, round(seconds, 3) AS seconds, verdict FROM results WHERE place = 1
            ORDER BY results.seconds DESC LIMIT 50""",
        ),
    )
}
"""Name -> question."""
