"""JUnit XML: a test case for each case or solution, a failure where its verdict is not what it should be."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

from ...kernels.result import KernelReport
from ...sweeps.watch import Watch

# What XML 1.0 has no place for (its section 2.2), such as the escape characters of a terminal.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class _Row:
    """One test case; kind is "error" (nothing was judged), "failure" or "" for neither."""

    file: str
    name: str
    line: int
    seconds: float
    kind: str
    type: str
    message: str
    text: str


def junit(found: Watch | KernelReport) -> str:
    """The XML text.

    References:
        https://github.com/testmoapp/junitxml, the attributes that CI servers read.
    """
    rows = _of_solutions(found) if isinstance(found, KernelReport) else _of_cases(found)
    count = {kind: str(sum(row.kind == kind for row in rows)) for kind in ("failure", "error")}
    totals = {"tests": str(len(rows)), "failures": count["failure"], "errors": count["error"]}
    suites = ET.Element("testsuites", {"name": "halfulp", **totals})
    suite = ET.SubElement(suites, "testsuite", {"name": "halfulp", **totals, "time": f"{sum(row.seconds for row in rows):.3f}"})
    for row in rows:
        case = ET.SubElement(
            suite, "testcase", classname=_legal(row.file), name=_legal(row.name), file=_legal(row.file), line=str(row.line), time=f"{row.seconds:.3f}"
        )  # fmt: skip
        if row.kind:
            ET.SubElement(case, row.kind, type=row.type, message=_legal(row.message)).text = _legal(row.text)
        elif row.text:
            ET.SubElement(case, "system-out").text = _legal(row.text)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _of_cases(watch: Watch) -> Sequence[_Row]:
    rows: list[_Row] = []
    for each in watch.cases:
        kind, name, message = "", "", ""
        if each.exit_code and each.verdict is None:
            kind, name, message = "error", "not run", each.reason.partition("\n")[0]
        elif each.exit_code and each.verdict is not None:
            kind, name, message = "failure", each.verdict.name, f"{each.verdict.name} ({each.change}): {each.reason}"
        rows.append(_Row(each.file, each.name, each.line, each.seconds, kind, name, message, each.report))
    return rows


def _of_solutions(report: KernelReport) -> Sequence[_Row]:
    return [
        _Row(
            f"{each.problem or 'kernels'}", each.solution, 1, each.seconds, {True: "", False: "failure", None: "error"}[each.acceptable],
            each.answer, f"{each.answer}: {each.because}", each.because,
        )
        for each in report.results
    ]  # fmt: skip


def _legal(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
