"""The labelled pairs: what the verdict is judged by. The run is that of `halfulp bench verdicts`."""

import json

import pytest
from typer.testing import CliRunner

from halfulp import Verdict
from halfulp.cli import app


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    arguments = ["bench", "verdicts", "--part", "pairs", "--json", str(folder / "out.json"), "--resume", str(folder / "kept.jsonl")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return folder, arguments, result.output


@pytest.mark.filterwarnings("ignore")
def test_at_least_99_percent_and_no_false_alarm(benchmark):
    folder, _, output = benchmark
    content = json.loads((folder / "out.json").read_text())
    assert len(content["outcomes"]) >= 170
    assert content["figures"]["verdicts_accuracy_halfulp"]["value"] >= 0.99, output
    assert content["figures"]["verdicts_labelled_verdict"]["value"] == 1.0, output
    assert {each["verdict"] for each in content["outcomes"]} == {verdict.name for verdict in Verdict}
    assert content["figures"]["verdicts_false_alarms_halfulp_unambiguous"]["value"] == 0, output
    assert "figure verdicts_accuracy_halfulp" in output
    assert content["fingerprint"]["sections"]["torch"]


@pytest.mark.filterwarnings("ignore")
def test_beats_every_checker_of_today(benchmark):
    folder, _, _ = benchmark
    figures = json.loads((folder / "out.json").read_text())["figures"]
    ours = figures["verdicts_accuracy_halfulp"]["value"]
    others = [figures[f"verdicts_accuracy_{name}"]["value"] for name in ("assert_close", "numpy_allclose", "dynamo_same", "msprobe_ratios")]
    assert all(0.5 < each < ours for each in others)


@pytest.mark.filterwarnings("ignore")
def test_an_interrupted_run_goes_on_from_what_was_kept(benchmark):
    folder, arguments, _ = benchmark
    kept = folder / "kept.jsonl"
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join(lines[:-1]) + "\n")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert len(kept.read_text().splitlines()) == len(lines)
