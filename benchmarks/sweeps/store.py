"""How fast does a store of 100,000 rows answer its ready questions, and how fast does its page open?

Rows as a sweep of 700 subjects writes them, ten runs of 10,000 cases. Beside it, on the same rows: SQLite, with the same aggregation by subject.

    python -W ignore -m benchmarks.sweeps.store [--rows 100000]
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

from halfulp.reports.pages import save_page
from halfulp.store import QUESTIONS, Row, Store
from halfulp.sweeps import swept_of

MOST_S, MOST_PAGE_S = 1.0, 2.0
RUNS = 10
VERDICTS = ["IDENTICAL"] * 50 + ["ROUNDING"] * 47 + ["UNDECIDED", "UNSTABLE", "MISTAKE"]


def rows(count: int) -> list[Row]:
    draw = random.Random(0)
    evidence = json.dumps([{"kind": "noise", "finding": "within", "measured": {f"number {place}": place / 7 for place in range(24)}}])
    made: list[Row] = []
    for place in range(count):
        run, number = f"2026-01-{place % RUNS + 1:02d}T00-00-00-aaaa", place // RUNS
        verdict = draw.choice(VERDICTS)
        subject = f"op{number % 700}"
        made.append(
            Row(
                "plan", run, f"{subject}|{number}", "opinfo", subject, "eager", "float64", "float32", "8x8", setting=str(number), number=number,
                verdict=verdict, acceptable={"UNDECIDED": None}.get(verdict, verdict in ("IDENTICAL", "ROUNDING")), excess=draw.expovariate(1.0),
                because="noise", reason="The difference is what rounding causes here.", evidence=evidence, versions='{"torch": "2.13.0"}', machine="m",
                seconds=draw.random(), bundle=f"{subject}|{verdict}" if verdict in ("UNSTABLE", "MISTAKE") else "",
            )
        )  # fmt: skip
    return made


def seconds_of(work, times: int = 5) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def by_sqlite(made: list[Row]) -> float:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE results (subject, run, verdict, excess)")
    connection.executemany("INSERT INTO results VALUES (?, ?, ?, ?)", [(row.subject, row.run, row.verdict, row.excess) for row in made])
    query = "SELECT subject, count(*), sum(verdict = 'MISTAKE'), max(excess) FROM results WHERE run = (SELECT max(run) FROM results) GROUP BY subject"
    return seconds_of(lambda: connection.execute(query).fetchall())


def opened_in(page: Path, times: int = 3) -> float | None:
    """Seconds until a browser has painted the page and filled its tables, the least of some openings; None where there is no browser."""
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as play:
            import shutil

            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            found: list[float] = []
            for _ in range(times):  # a browser's first page pays for its start
                tab = browser.new_page()
                start = time.perf_counter()
                tab.goto(page.as_uri(), wait_until="load")
                tab.wait_for_selector(".table tbody tr")
                found.append(time.perf_counter() - start)
                tab.close()
            browser.close()
            return min(found)
    except Exception as error:
        print(f"the page was not opened: {str(error).splitlines()[0][:120]}")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    made = rows(options.rows)
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        store = Store(Path(name) / "store")
        start = time.perf_counter()
        for run in sorted({row.run for row in made}):
            with store.writer(run) as writer:
                for place, row in enumerate(row for row in made if row.run == run):
                    writer.add(row)
                    if place % 500 == 499:
                        writer.flush()  # as many files as a sweep of minutes writes
        print(f"figure store_write_seconds {time.perf_counter() - start:.3g} s")
        for question in QUESTIONS:
            seconds = seconds_of(lambda question=question: store.ask(question))
            worst = max(worst, seconds)
            print(f"figure store_{question}_seconds {seconds:.3g} s")
        found = swept_of(store)
        summed = seconds_of(lambda: swept_of(store), 3)
        page = save_page(found, Path(name) / "page.html")
        opened = opened_in(Path(page))
        print(f"figure store_worst_question_seconds {worst:.3g} s")
        print(f"figure store_summary_seconds {summed:.3g} s")
        print(f"figure store_page_megabytes {Path(page).stat().st_size / 1e6:.3g} MB")
        if opened is not None:
            print(f"figure store_page_opens_seconds {opened:.3g} s")
        print(f"figure sqlite_in_memory_seconds {by_sqlite(made):.3g} s")
        if worst > MOST_S or (opened or 0.0) > MOST_PAGE_S:
            raise SystemExit(f"a question takes longer than {MOST_S} s, or the page longer than {MOST_PAGE_S} s")


if __name__ == "__main__":
    main()
