"""Many cases beside a baseline: what got worse fails, nothing else does."""

import itertools
import json

import pytest

import halfulp
from halfulp import Verdict
from halfulp.documents import read_document, restored
from halfulp.errors import InputError
from halfulp.reports.formats.markdown_summary import summary
from halfulp.sweeps import Watch, watched
from halfulp.sweeps.watch import BADNESS, Watched

CASE = """
import torch

def actual(x):
    return {actual}

def expected(x):
    return {expected}

def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(8, 16),)
"""


def written(folder, name, actual="x.exp()", expected="torch.exp(x)"):
    file = folder / f"{name}.py"
    file.write_text(CASE.format(actual=actual, expected=expected))
    return file


def test_every_pair_of_verdicts_is_ordered():
    assert set(BADNESS) == set(Verdict)
    for before, now in itertools.product(Verdict, Verdict):
        each = Watched("x", "x.py", 1, now, "", before=before)
        if now is before:
            assert each.change == "unchanged" and each.exit_code == 0
        elif now.acceptable:
            assert each.change != "worse" and each.exit_code == 0
        elif before.acceptable:
            assert each.change == "worse" and each.exit_code == now.exit_code
        assert (each.exit_code != 0) == (each.change == "worse")
        back = Watched("x", "x.py", 1, before, "", before=now)
        assert (each.change == "worse") == (back.change == "better")


def test_a_worse_verdict_fails_and_a_known_one_does_not(tmp_path):
    good, bad = written(tmp_path, "good"), written(tmp_path, "bad", "x.exp() * 1.001")
    first = watched([good, bad])
    assert [case.verdict.name for case in first.cases] == ["IDENTICAL", "MISTAKE"] and first.exit_code == 1
    assert [case.line for case in first.cases] == [4, 4]
    baseline = tmp_path / "baseline.json"
    baseline.write_text(first.baseline().to_json())
    second = watched([good, bad], baseline)
    assert second.exit_code == 0 and [case.change for case in second.cases] == ["unchanged", "unchanged"]
    written(tmp_path, "good", "x.exp() + 0.1")
    third = watched([good, bad], baseline)
    assert third.exit_code == 1 and [case.change for case in third.cases] == ["worse", "unchanged"]
    written(tmp_path, "bad", "x.exp()")
    assert [case.change for case in watched([good, bad], baseline).cases] == ["worse", "better"]
    assert watched([bad], baseline).missing == ("good",)


def test_a_case_that_does_not_run_fails_and_loses_nothing(tmp_path):
    broken, good = written(tmp_path, "broken", "x.nothing()"), written(tmp_path, "good")
    unreadable = tmp_path / "empty.py"
    unreadable.write_text("x = (")
    baseline = tmp_path / "baseline.json"
    baseline.write_text(Watch((Watched("broken", "", 1, Verdict.ROUNDING, ""),)).baseline().to_json())
    found = watched([broken, unreadable, good], baseline)
    assert [case.change for case in found.cases] == ["failed", "failed", "new"] and found.exit_code == 1
    assert "nothing" in found.cases[0].reason and "SyntaxError" in found.cases[1].reason
    assert found.baseline().verdicts == {"broken": Verdict.ROUNDING, "good": Verdict.IDENTICAL}


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path):
    with pytest.raises(InputError, match="which does not exist"):
        watched([written(tmp_path, "good"), tmp_path / "none.py"])


def test_an_accepted_verdict_is_new_and_no_failure(tmp_path):
    bad = Watched("bad", "bad.py", 1, Verdict.MISTAKE, "", accepted=True)
    assert (bad.change, bad.exit_code) == ("new", 0)


def test_the_summary_counts_what_it_says():
    cases = [
        Watched("a", "", 1, Verdict.MISTAKE, ""), Watched("b", "", 1, None, ""), Watched("c", "", 1, Verdict.ROUNDING, ""),
        Watched("d", "", 1, Verdict.MISTAKE, "", before=Verdict.ROUNDING),
    ]  # fmt: skip
    assert summary(Watch(tuple(cases))) == "3 of 4 cases fail (1 worse than before, 1 did not run, 1 new and not acceptable); 1 new"


def test_folders_and_stored_results(tmp_path):
    cases = tmp_path / "cases"
    cases.mkdir()
    written(cases, "one")
    written(cases, "two", "x.exp() * 2")
    (cases / "helper.py").write_text("def unrelated(): pass\n")
    found = watched([cases], keep=tmp_path / "kept")
    assert [case.name for case in found.cases] == ["one", "two"]
    again = watched([tmp_path / "kept" / "two.json", cases / "one.py"])
    assert [(case.name, case.verdict.name) for case in again.cases] == [("two", "MISTAKE"), ("one", "IDENTICAL")]


def test_only_what_an_interrupted_run_has_done_is_not_run_again(tmp_path):
    """The code under test may have changed since a complete run, in files that nobody here knows."""
    kept = tmp_path / "kept"
    good, stops = written(tmp_path, "good"), written(tmp_path, "stops")
    text = stops.read_text()
    stops.write_text(text.replace("torch.manual_seed(seed)", "raise KeyboardInterrupt"))

    def marked():
        content = json.loads((kept / "good.json").read_text())
        (kept / "good.json").write_text(json.dumps({**content, "names": ["kept", "as it was"]}))

    assert not watched([good, stops], keep=kept).complete
    marked()
    stops.write_text(text)
    resumed = watched([good, stops], keep=kept)
    assert resumed.complete and "kept against as it was" in resumed.cases[0].report
    marked()
    assert "kept against as it was" not in watched([good, stops], keep=kept).cases[0].report
    stops.write_text(text.replace("torch.manual_seed(seed)", "raise KeyboardInterrupt"))
    for change in (lambda: (kept / "good.json").write_text("damaged"), lambda: written(tmp_path, "good", "x.exp() * 1.0"), lambda: None):
        assert not watched([good, stops], keep=kept).complete
        marked()
        change()
        again = watched([good, stops], keep=kept, seed=0 if change() is not None else 5)
        assert "kept against as it was" not in again.cases[0].report


def test_whatever_goes_wrong_in_a_case_is_its_outcome(tmp_path, monkeypatch):
    latin = tmp_path / "latin.py"
    latin.write_bytes(("# coding: latin-1\n# é\n" + CASE.format(actual="x.exp()", expected="torch.exp(x)")).encode("latin-1"))
    undeclared = tmp_path / "undeclared.py"
    undeclared.write_bytes(("# é\n" + CASE.format(actual="x.exp()", expected="torch.exp(x)")).encode("latin-1"))
    found = watched([latin, undeclared])
    assert found.cases[0].verdict is Verdict.IDENTICAL
    assert found.cases[1].verdict is None and "can't be read as Python" in found.cases[1].reason
    monkeypatch.setattr("halfulp.sweeps.case_watch.check", lambda *_, **__: 1 / 0)
    assert "ZeroDivisionError" in watched([latin]).cases[0].reason
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        watched([latin], keep=tmp_path / "file" / "kept")


def test_cases_are_found_however_their_names_are_bound(tmp_path):
    cases = tmp_path / "cases"
    cases.mkdir()
    written(cases, "plain")
    (cases / "imported.py").write_text("from plain import actual, expected, inputs\n")
    (cases / "assigned.py").write_text(
        "import torch\nactual: object = torch.exp\nexpected = torch.exp\n\ndef inputs(seed):\n    return (torch.ones(3),)\n"
    )
    (cases / "words.py").write_text('TEXT = """\ndef actual(): def expected(): def inputs():"""\n')
    (cases / "no_python.py").write_text("def actual(")
    found = watched([cases])
    assert [(case.name, case.line) for case in found.cases] == [("assigned", 2), ("imported", 1), ("plain", 4)]


def test_an_update_keeps_what_was_not_run(tmp_path):
    good, bad = written(tmp_path, "good"), written(tmp_path, "bad", "x.exp() * 1.001")
    before = watched([good, bad]).baseline()
    assert watched([good]).baseline(before).verdicts == before.verdicts
    assert watched([good]).baseline().verdicts == {"good": Verdict.IDENTICAL}


def test_an_interruption_keeps_what_was_done(tmp_path):
    good, stops = written(tmp_path, "good"), written(tmp_path, "stops")
    stops.write_text(stops.read_text().replace("torch.manual_seed(seed)", "raise KeyboardInterrupt"))
    found = watched([good, stops])
    assert [case.name for case in found.cases] == ["good"] and not found.complete and found.exit_code == 130


def test_bad_requests_are_refused(tmp_path):
    with pytest.raises(InputError, match="Got no case files"):
        watched([])
    (tmp_path / "sub").mkdir()
    with pytest.raises(InputError, match="two files named one"):
        watched([written(tmp_path, "one"), written(tmp_path / "sub", "one")])
    (tmp_path / "baseline.json").write_text('{"kind": "check", "schema": 1}')
    with pytest.raises(InputError, match="Needed: one of kind baseline"):
        watched([tmp_path / "one.py"], tmp_path / "baseline.json")


def test_results_without_a_verdict_are_said(tmp_path, results):
    (tmp_path / "audit.json").write_text(results["audit"].to_json())
    (tmp_path / "growth.json").write_text(results["growth"].to_json())
    (tmp_path / "origin.json").write_text(results["origin"].to_json())
    found = watched([tmp_path / f"{name}.json" for name in ("audit", "growth", "origin")])
    assert found.cases[0].verdict is None and "without a verdict" in found.cases[0].reason
    assert [case.verdict.name for case in found.cases[1:]] == [results["growth"].worst.name, "MISTAKE"]
    assert "norm" in found.cases[2].reason


def test_a_baseline_is_one_line_a_case(results, tmp_path):
    text = results["baseline"].to_json()
    assert '  "linear": "MISTAKE"' in text and len(text.splitlines()) < 12
    (tmp_path / "b.json").write_text(text)
    assert restored("baseline", read_document(tmp_path / "b.json")) == results["baseline"]
    assert "linear" in halfulp.report(results["baseline"])
