"""The store: whatever writers do, what is read is whole; questions answer what they say, and reach nothing else."""

import json
import threading
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfulp.errors import InputError
from halfulp.store import QUESTIONS, Finding, Row, RunRecord, Store
from halfulp.store.store import SEVERITY
from halfulp.sweeps.summary import swept_of
from halfulp.verdicts import Verdict


def row(case="exp|1", *, run="2026-01-01T00-00-00", verdict="ROUNDING", plan="plan", **more):
    more.setdefault("number", zlib.crc32(case.encode()))
    acceptable = {"ROUNDING": True, "IDENTICAL": True, "MISTAKE": False, "UNSTABLE": False}.get(verdict)
    subject = case.partition("|")[0]
    return Row(plan, run, case, "opinfo", subject, "eager", "float64", verdict=verdict, acceptable=acceptable, **more)


def filled(folder, *rows):
    store = Store(folder)
    for each in rows:
        with store.writer(each.run) as writer:
            writer.add(each)
    return store


TEXT = st.text(max_size=30)
ROWS = st.builds(
    Row, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, shape=TEXT, verdict=st.sampled_from(["", "ROUNDING", "MISTAKE"]),
    acceptable=st.none() | st.booleans(), excess=st.none() | st.floats(allow_nan=False), number=st.integers(0, 2**40), evidence=TEXT, seconds=st.floats(0, 1e9),
)  # fmt: skip


@settings(max_examples=30)
@given(st.lists(ROWS, min_size=1, max_size=5, unique_by=lambda row: row.number))
def test_a_row_is_read_as_it_was_written(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("store")
    store = Store(folder)
    with store.writer("run") as writer:
        for each in rows:
            writer.add(each)
    found = [each for run in {each.run for each in rows} for each in store.rows(run)]
    assert sorted(map(repr, found)) == sorted(map(repr, rows))


def test_sixteen_writers_lose_nothing(tmp_path):
    store = Store(tmp_path)

    def write(number):
        with store.writer("run") as writer:
            for place in range(20):
                writer.add(row(f"exp|{number} {place}"))
                if place % 7 == 0:
                    writer.flush()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.ask('SELECT count(*), count(DISTINCT "case") FROM results').rows == ((320, 320),)


def test_what_is_half_written_is_not_read(tmp_path):
    store = filled(tmp_path, row())
    (tmp_path / "run" / ".0001.rows.parquet.xyz.new").parent.mkdir(exist_ok=True)
    (tmp_path / "run" / ".0001.rows.parquet.xyz.new").write_bytes(b"PAR1 and no more")
    assert len(store.ask("SELECT * FROM results").rows) == 1


def test_the_latest_run_is_compared_with_the_one_before(tmp_path):
    first, second = "2026-01-01T00-00-00", "2026-01-02T00-00-00"
    store = filled(
        tmp_path,
        row("a|1", run=first), row("b|1", run=first, verdict="MISTAKE"), row("c|1", run=first, verdict="IDENTICAL"),
        row("a|1", run=second, verdict="MISTAKE", excess=7.0), row("b|1", run=second, verdict="MISTAKE"), row("c|1", run=second),
        row("d|1", run=second, verdict="UNSTABLE"),
    )  # fmt: skip
    assert [(found[0], found[6]) for found in store.ask("new").rows] == [("a", "ROUNDING"), ("d", "not there")]
    worse = store.ask("worse")
    assert [(found[0], found[worse.columns.index("worse")]) for found in worse.rows] == [("a", True)]  # other bits are not worse
    assert [found[0] for found in store.ask("flagged").rows] == ["a", "b", "d"]
    assert [found[0] for found in store.ask("flaky").rows] == ["a", "c"]  # the same machine, as far as is known
    assert dict(store.ask("SELECT run, place FROM results GROUP BY ALL").rows) == {first: 2, second: 1}


def test_a_verdict_that_changed_with_the_plan_or_was_not_reached_is_not_flaky(tmp_path):
    first, second = "2026-01-01T00-00-00", "2026-01-02T00-00-00"
    store = filled(
        tmp_path,
        *(row("a|1", run=run, verdict=verdict) for run, verdict in ((first, "MISTAKE"), (second, "ROUNDING"))),
        row("b|1", run=second, verdict="MISTAKE", repeated="no verdict (its process did not answer)"),
        row("c|1", run=second, verdict="MISTAKE", repeated="ROUNDING"),
    )
    for run, digest in ((first, "old"), (second, "new")):
        RunRecord(run, "plan", digest, complete=True).write(tmp_path)
    assert [found[0] for found in store.ask("flaky").rows] == ["c"]
    RunRecord(first, "plan", "new", complete=True).write(tmp_path)
    assert [found[0] for found in store.ask("flaky").rows] == ["a", "c"]


def test_a_case_of_any_name_that_was_made_is_done(tmp_path):
    names = {"number": 0, "fault": "its process died"}
    store = filled(tmp_path, row("a|case 1", setting="case 1", **names), row("b|case 1 (not made)", setting="case 1 (not made)", **names))
    assert store.done("2026-01-01T00-00-00") == {("a", 0)}


def test_a_finding_stands_beside_every_row_of_its_bundle(tmp_path):
    store = filled(tmp_path, row("a|1", verdict="MISTAKE", bundle="a"), row("a|2", verdict="MISTAKE", bundle="a"), row("b|1"))
    with store.writer("2026-01-01T00-00-00") as writer:
        writer.add(Finding("plan", "2026-01-01T00-00-00", "a|1", "a", cause="norm epsilon"))
    assert store.ask('SELECT "case", cause FROM results ORDER BY 1').rows == (("a|1", "norm epsilon"), ("a|2", "norm epsilon"), ("b|1", ""))
    assert [found[:2] for found in store.ask("causes").rows] == [("norm epsilon", 2)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_ready_question_answers_on_an_empty_run_and_on_odd_values(name, tmp_path):
    odd = row("a'b\"c;|1", verdict="MISTAKE", excess=float("inf"), relative_error=float("nan"), reason="x" * 10_000)
    store = filled(tmp_path, odd, row("|", verdict=""), row("c|1", fault="its process died"))
    answer = store.ask(name)
    assert all(len(found) == len(answer.columns) for found in answer.rows)
    json.loads(answer.to_json())
    assert answer.to_csv().count("\n") >= 1 + len(answer.rows)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY results TO '{folder}/out.csv'",
        "ATTACH '{folder}/other.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM read_parquet('{folder}/other/*.parquet')",
        "COPY (SELECT 1) TO '{file}'",
    ],
)
def test_a_query_reads_no_other_file_and_writes_none(query, tmp_path):
    store = filled(tmp_path / "store", row())
    (file,) = (tmp_path / "store").rglob("*.parquet")
    before = file.read_bytes()
    with pytest.raises(InputError):
        store.ask(query.format(folder=tmp_path, file=file))
    assert file.read_bytes() == before and sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_a_path_with_quotes_is_a_path(tmp_path):
    assert filled(tmp_path / "it's; a 'store'", row()).ask("runs").rows[0][2] == 1


@pytest.mark.parametrize(
    ("question", "said"), [("SELECT nothing FROM results", "can't be answered"), ("flaged", "Needed: one of runs, verdicts")]
)
def test_a_question_that_is_none_is_refused_in_words(question, said, tmp_path):
    with pytest.raises(InputError, match=said):
        filled(tmp_path, row()).ask(question)


def test_an_empty_folder_is_no_store(tmp_path):
    with pytest.raises(InputError, match="holds no results"):
        Store(tmp_path / "nothing").ask("runs")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="which is a file"):
        Store(tmp_path / "file")


def test_what_an_older_version_wrote_is_read_with_the_columns_that_it_has(tmp_path):
    import pyarrow
    import pyarrow.parquet

    store = filled(tmp_path, row("new|1"))
    (file,) = Path(tmp_path).rglob("*.parquet")
    table = pyarrow.parquet.read_table(file).drop_columns(["environment", "largest_ulps"])
    pyarrow.parquet.write_table(table, file.with_name("1" + file.name))
    assert [found[0] for found in store.ask("SELECT environment FROM results ORDER BY environment NULLS LAST").rows] == ["", None]


def test_the_order_of_verdicts_is_that_of_the_verdicts():
    assert ("", *(verdict.name for verdict in sorted(Verdict, key=lambda verdict: verdict.severity))) == SEVERITY


def test_a_case_that_two_writers_checked_counts_once(tmp_path):
    with_fault = row("a|case 1", verdict="", fault="its process died", number=0)
    store = filled(tmp_path, row("a|1"), row("a|1"), with_fault, row("a|data 1", number=0), row("a|2", verdict="MISTAKE", bundle="a"))
    for cause in ("norm epsilon", "another"):
        with store.writer("2026-01-01T00-00-00") as writer:
            writer.add(Finding("plan", "2026-01-01T00-00-00", "a|2", "a", cause=cause, finished=float(cause == "another")))
    assert [found[0] for found in store.ask('SELECT "case" FROM results ORDER BY 1').rows] == ["a|1", "a|2", "a|data 1"]
    assert store.ask("SELECT cause FROM results WHERE bundle = 'a'").rows == (("norm epsilon",),)


def test_a_run_that_did_not_end_stands_behind_those_that_did(tmp_path):
    first, second = "2026-01-01T00-00-00", "2026-01-02T00-00-00"
    store = filled(tmp_path, row("a|1", run=first), row("b|1", run=first), row("a|1", run=second, verdict="MISTAKE"))
    RunRecord(second, "plan", "digest").write(tmp_path)
    assert store.ask("flagged").rows == () and dict(store.ask("SELECT DISTINCT run, place FROM results").rows) == {first: 1, second: 2}
    RunRecord(second, "plan", "digest").write(tmp_path, complete=True)
    assert [found[0] for found in store.ask("flagged").rows] == ["a"] and store.ask("SELECT DISTINCT complete FROM results").rows == (
        (True,),
    )


def test_a_case_that_has_no_verdict_any_more_is_worse_and_a_flagged_one_new(tmp_path):
    first, second = "2026-01-01T00-00-00", "2026-01-02T00-00-00"
    cases = {
        "a": ("IDENTICAL", ""),
        "b": ("", "ROUNDING"),
        "c": ("", "MISTAKE"),
        "d": ("UNDECIDED", "MISTAKE"),
        "e": ("MISTAKE", "UNSTABLE"),
    }
    store = filled(
        tmp_path,
        *(row(f"{case}|1", run=run, verdict=verdict) for case, pair in cases.items() for run, verdict in zip((first, second), pair)),
    )
    worse = store.ask("worse")
    found = {values[0]: (values[worse.columns.index("before")], values[worse.columns.index("worse")]) for values in worse.rows}
    assert found == {
        "a": ("IDENTICAL", True),
        "b": ("no verdict", False),
        "c": ("no verdict", False),
        "d": ("UNDECIDED", True),
        "e": ("MISTAKE", False),
    }
    assert {values[0]: values[6] for values in store.ask("new").rows} == {"c": "no verdict", "d": "UNDECIDED"}


def test_whatever_sql_gives_is_an_answer(tmp_path):
    store = filled(tmp_path, row())
    answer = store.ask("SELECT 0.5, DATE '2026-01-02' AS day, 1 AS n, 2 AS n, 3 AS n, [1, 2] AS list, NULL AS nothing, true AS yes")
    assert answer.columns[1:] == ("day", "n", "n_2", "n_3", "list", "nothing", "yes")
    assert json.loads(answer.to_json())[0] == {
        answer.columns[0]: 0.5, "day": "2026-01-02", "n": 1, "n_2": 2, "n_3": 3, "list": "[1, 2]", "nothing": None, "yes": True,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a[1]", "a*", "what?", "{b}"])
def test_a_folder_may_be_called_as_a_pattern(name, tmp_path):
    filled(tmp_path / "a1", row("other|1"))
    assert filled(tmp_path / name, row()).ask('SELECT "case" FROM results').rows == (("exp|1",),)


def test_cases_that_are_gone_are_told(tmp_path):
    first, second = "2026-01-01T00-00-00", "2026-01-02T00-00-00"
    store = filled(
        tmp_path, row("exp|1", run=first), row("sin|1", run=first, verdict="MISTAKE"), row("exp|1", run=second), row("cos|1", run=second)
    )
    found = store.ask("missing")
    assert [values[0] for values in found.rows] == ["sin"] and "MISTAKE" in found.rows[0]
    runs = swept_of(store).runs
    assert [(run.run, run.missing) for run in runs] == [(second, 1), (first, 0)]
