"""JUnit, GitHub annotations, SARIF, Markdown: each holds every case, and hostile text stays text."""

import html
import json
import re
import xml.etree.ElementTree as ET

import pytest

from halfulp import Verdict
from halfulp.reports.formats import junit, markdown, sarif, workflow_commands
from halfulp.sweeps.watch import Watch, Watched

HOSTILE = "a|b\n::error::x%0A\r<script>&\x1b[31m\x00`` ```\n@all #1 [x](y) *b* ]]> \ud83d"


def hostile():
    return Watch((Watched(HOSTILE, f"dir,a:b/{HOSTILE}.py", 3, Verdict.MISTAKE, HOSTILE, HOSTILE, Verdict.ROUNDING),))


def test_junit_holds_every_case(results):
    tree = ET.fromstring(junit(results["watch"]).encode())
    (suite,) = tree.findall("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "2", "1")
    cases = {each.get("name"): each for each in suite.findall("testcase")}
    assert cases["linear"].find("failure").get("type") == "MISTAKE"
    assert "worse" in cases["linear"].find("failure").get("message")
    assert cases["broken"].find("error").text.startswith("Got ValueError")
    assert cases["conv"].find("failure") is None and cases["conv"].find("system-out").text == "ROUNDING"
    assert float(cases["linear"].get("time")) == 1.5


def test_annotations_name_file_and_line(results):
    lines = workflow_commands(results["watch"]).splitlines()
    assert lines[0] == "::error file=cases/linear.py,line=3,title=linear%3A MISTAKE%2C was ROUNDING::another function"
    assert lines[1] == "::error file=cases/broken.py,line=1,title=broken%3A not run%2C was FLIP::Got ValueError: no%0ANeeded: yes"
    assert lines[2].startswith("::warning file=cases/fresh.py,line=2,title=fresh%3A UNDECIDED::")
    assert lines[3].startswith("::notice file=cases/mended.py")
    assert lines[4] == "::warning title=halfulp::gone is in the baseline and was not run"
    assert workflow_commands(Watch((Watched("x", "x.py", 1, Verdict.ROUNDING, "", before=Verdict.ROUNDING),))) == ""


def test_sarif_has_a_rule_for_each_verdict(results):
    (run,) = json.loads(sarif(results["watch"]))["runs"]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert rules == [each.name for each in Verdict]
    by_name = {each["partialFingerprints"]["halfulpCase/v1"]: each for each in run["results"]}
    assert set(by_name) == {"linear", "fresh"}  # what is acceptable is no alert
    for each in run["results"]:
        assert rules[each["ruleIndex"]] == each["ruleId"]
    assert (by_name["linear"]["level"], by_name["fresh"]["level"]) == ("error", "warning")
    assert by_name["linear"]["baselineState"] == "updated" and by_name["fresh"]["baselineState"] == "new"
    alone = json.loads(sarif(Watch(results["watch"].cases)))["runs"][0]["results"]
    assert all("baselineState" not in each for each in alone)
    assert by_name["linear"]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "cases/linear.py"},
        "region": {"startLine": 3},
    }
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "ValueError" in notification["message"]["text"] and run["invocations"][0]["executionSuccessful"] is False


def test_markdown_sums_up_and_folds(results):
    text = markdown(results["watch"])
    assert text.startswith(
        "### halfulp: 3 of 5 cases fail (1 worse than before, 1 did not run, 1 new and not acceptable); 1 better than before"
    )
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 5 and [row.split("|")[2].strip() for row in rows[:3]] == ["linear", "broken", "fresh"]
    assert text.count("<details>") == 3 and "In the baseline and not run: gone." in text


def test_cells_of_markdown_read_as_they_were(results):
    words = "question_3_linear a*b | c # [x](y) <b> & `z` ~~w~~ @all \\ &#35;"
    row = next(line for line in markdown(Watch((Watched(words, "x.py", 1, Verdict.MISTAKE, words),))).splitlines() if "MISTAKE" in line)
    cell = row.split("|")[2].strip()
    assert html.unescape(cell) == words and not re.search(r"[*_`<>@~\[\]]", cell)


def test_markdown_fits_into_a_comment():
    many = markdown(Watch(tuple(Watched(f"c{place}", "c.py", 1, Verdict.MISTAKE, "why " * 300, "x") for place in range(900))))
    assert len(many) < 65_536 and "More details don't fit" in many
    cases = tuple(Watched(f"c{place}", "c.py", 1, Verdict.MISTAKE, "why", "x" * 30_000) for place in range(5))
    text = markdown(Watch(cases))
    assert len(text) < 65_536 and "More details don't fit" in text


@pytest.mark.parametrize("form", [junit, workflow_commands, sarif, markdown])
def test_hostile_text_stays_text(form):
    text = form(hostile())
    if form is junit:
        assert ET.fromstring(text.encode(errors="replace")).find(".//failure") is not None and "\x1b" not in text
    if form is workflow_commands:
        assert len(text.splitlines()) == 1 and re.match(r"::error file=dir%2Ca%3Ab/", text)
    if form is sarif:
        assert json.loads(text)["runs"][0]["results"][0]["message"]["text"] == HOSTILE
    if form is markdown:
        table, _, folded = text.partition("<details>")
        (row,) = [line for line in table.splitlines() if "MISTAKE" in line]
        assert row.count("|") == 6 and "<script>" not in table and "@all" not in table and "`" not in row
        fence = re.search(r"\n(`{3,})\n", folded).group(1)
        assert len(fence) > 3 and folded.count(fence) == 2


def test_names_with_spaces_are_uris(results):
    from pathlib import Path

    for path, uri in ((Path.cwd() / "a.py", "a.py"), (Path("/") / "elsewhere" / "b c.py", "file:///elsewhere/b%20c.py")):
        found = json.loads(sarif(Watch((Watched("x", path.as_posix(), 1, Verdict.MISTAKE, "w"),))))
        assert found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
    found = json.loads(sarif(Watch((Watched("x", "a b/ü.py", 1, Verdict.MISTAKE, "w"),))))
    assert found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC.py"
