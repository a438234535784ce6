"""halfulp report, plot, growth, ci and --html: the commands around stored results."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halfulp.cli import app
from halfulp.datasheets import properties
from halfulp.reports.charts import PICTURES

CASE = """
import torch

def actual(x, w):
    return x[:, ::2] @ w[::2] + x[:, 1::2] @ w[1::2]

def expected(x, w):
    return x @ w

def inputs(seed, size=64):
    torch.manual_seed(seed)
    return torch.randn(4, size), torch.randn(size, 5)
"""


@pytest.fixture
def case(tmp_path):
    file = tmp_path / "case.py"
    file.write_text(CASE)
    return file


def ran(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_result_is_shown_again(case, tmp_path):
    stored = ran("check", case, "--json")
    (tmp_path / "result.json").write_text(stored.stdout)
    shown, direct = ran("report", tmp_path / "result.json"), ran("check", case)
    assert shown.exit_code == 0 and shown.stdout == direct.stdout and "ROUNDING" in shown.stdout
    assert ran("report", tmp_path / "result.json", "-q").stdout == ran("check", case, "-q").stdout
    made = ran("report", tmp_path / "result.json", "-o", tmp_path / "page.html")
    assert made.exit_code == 0 and "Wrote " in made.stderr
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "ROUNDING" in text.partition("</h1>")[0].rpartition("<h1")[2]
    assert "def actual(x, w):" in text and "noise of rounding" in text


@pytest.mark.parametrize(
    "command", [["check"], ["explain", "--no-processes"], ["locate"], ["order"], ["tolerance"], ["audit"], ["growth", "--sizes", "8,16,32"]]
)
def test_commands_write_pages_and_json_together(command, case, tmp_path):
    page = tmp_path / "deep" / "page.html"
    found = ran(command[0], case, *command[1:], "--json", "--html", page)
    assert found.exit_code in (0, 1, 3), found.output
    kinds = {"locate": "origin", "explain": "explanation", "order": "orders"}
    assert json.loads(found.stdout)["kind"] == kinds.get(command[0], command[0])
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_doctor_compare_and_datasheet_have_pages(tmp_path, monkeypatch):
    monkeypatch.setitem(properties.SECTIONS, "orders", lambda _: {})
    import numpy as np

    np.save(tmp_path / "a.npy", np.float32([1, 2]))
    np.save(tmp_path / "b.npy", np.float32([1, 3]))
    for words in (["doctor"], ["compare", tmp_path / "a.npy", tmp_path / "b.npy"], ["datasheet", "--backend", "numpy", "-f", "sqrt"]):
        page = tmp_path / f"{words[0]}.html"
        assert ran(*words, "--html", page).exit_code in (0, 3)
        assert page.stat().st_size > 5000


def test_plots(case, tmp_path):
    assert ran("plot", "--list").stdout.count("\n") == len(PICTURES)
    for name, source in (("growth", case), ("elements", case)):
        found = ran("plot", name, source, "-o", tmp_path / f"{name}.svg")
        assert found.exit_code == 0, found.output
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")
    assert "Needed: halfulp plot PICTURE" in str(ran("plot").exception)
    assert "Got picture 'poem'" in str(ran("plot", "poem", case).exception)


def test_inputs_without_a_size_of_their_own_take_the_first_that_is_given(tmp_path):
    file = tmp_path / "case.py"
    file.write_text(CASE.replace("size=64", "size"))
    assert ran("growth", file, "--sizes", "16,32,64", "--quiet").exit_code == 0
    assert "missing 1 required positional argument" in str(ran("growth", file, "--quiet").exception)


def test_sizes_are_checked(case):
    for words in ("a", "0", "4,,8"):
        assert f"Got --sizes {words}" in str(ran("growth", case, "--sizes", words).exception)


def test_ci_end_to_end(case, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    baseline = tmp_path / "baseline.json"
    first = ran("ci", case, "--baseline", baseline, "--update")
    assert first.exit_code == 0 and json.loads(baseline.read_text())["verdicts"] == {"case": "ROUNDING"}
    case.write_text(CASE.replace("return x @ w", "return x @ w * 1.001"))
    outputs = [word for kind in ("junit", "sarif", "markdown", "html") for word in (f"--{kind}", tmp_path / f"out.{kind}")]
    second = ran("ci", case, "--baseline", baseline, "--github", *outputs)
    assert second.exit_code == 1 and "::error file=" in second.stdout and "1 of 1 case fails (1 worse than before)" in second.stdout
    assert ET.parse(tmp_path / "out.junit").getroot().get("failures") == "1"
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"
    assert "MISTAKE" in (tmp_path / "out.markdown").read_text(encoding="utf-8") and "got worse" in (tmp_path / "out.html").read_text(
        encoding="utf-8"
    )
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    third = ran("ci", case, "--baseline", baseline, "--json")
    assert json.loads(third.stdout)["changes"] == {"case": "worse"} and "::error" in third.stderr
    assert ran("ci", case, "--baseline", baseline, "--update", "-q").exit_code == 0
    assert ran("ci", case, "--baseline", baseline).exit_code == 0


def test_ci_refuses_what_it_cannot_do(case, tmp_path):
    assert "Got --update without --baseline" in str(ran("ci", case, "--update").exception)
    (tmp_path / "file").write_text("")
    assert "can't be written" in str(ran("ci", case, "--junit", tmp_path / "file" / "x.xml").exception)


def test_the_third_question_has_its_page(tmp_path):
    """From the case file to its page in one command."""
    file = Path(__file__).parents[2] / "examples" / "question_3_linear.py"
    assert ran("check", file, "--html", tmp_path / "page.html", "-q").exit_code == 0
    assert "the difference is rounding" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_answer_is_colored_on_a_terminal_only(case, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in ran("check", case, "-q").stdout
    colored = CliRunner().invoke(app, ["check", str(case), "-q"], color=True).stdout
    assert colored.startswith("\x1b[32m") and "\x1b[1m" in colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(app, ["check", str(case), "-q"], color=True).stdout
