"""What was stored before the core was made one is still read, says the same, and is judged alike."""

import json
import zipfile
from pathlib import Path

import pytest

import halfulp
from halfulp.documents import KINDS, read_result
from halfulp.verdicts import Verdict, judge

SAMPLES = Path(__file__).parent / "samples"
CHECKS = sorted(SAMPLES.glob("check*.json"))


def test_there_is_a_sample_of_each_kind_and_each_verdict():
    assert {path.stem for path in SAMPLES.glob("*.json")} >= set(KINDS)
    assert {path.stem.removeprefix("check-").upper() for path in CHECKS} >= {verdict.name for verdict in Verdict}


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_a_stored_result_is_read_and_says_the_same(path):
    before = json.loads(path.read_text())
    result = read_result(path)
    after = json.loads(result.to_json())
    assert after["kind"] == before["kind"]
    assert {name: after[name] for name in ("verdict", "acceptable", "because") if name in before} == {
        name: before[name] for name in ("verdict", "acceptable", "because") if name in before
    }
    assert set(before) <= set(after)
    for form in ("full", "answer", "html"):
        assert halfulp.report(result, form=form)


@pytest.mark.parametrize("path", [*CHECKS, SAMPLES / "explanation.json"], ids=lambda path: path.stem)
def test_stored_evidence_is_judged_alike(path):
    result = read_result(path)
    result = getattr(result, "result", result)
    assert judge(result.evidence) is result.verdict


def test_stored_traces_have_the_same_origin(tmp_path):
    with zipfile.ZipFile(SAMPLES / "traces.zip") as archive:
        archive.extractall(tmp_path)
    origin = halfulp.locate(tmp_path / "actual.trace", tmp_path / "expected.trace")
    assert (origin.verdict, origin.module, origin.op) == (Verdict.MISTAKE, "1", "aten.native_layer_norm.default")
