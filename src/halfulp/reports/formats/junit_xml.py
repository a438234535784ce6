"""JUnit XML: a test case for each case, a failure where its verdict is not what it should be."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from ...sweeps.watch import Watch

# What XML 1.0 has no place for (its section 2.2), such as the escape characters of a terminal.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(watch: Watch) -> str:
    """The XML text.

    References:
        https://github.com/testmoapp/junitxml, the attributes that CI servers read.
    """
    failed = [watched for watched in watch.cases if watched.exit_code]
    errors = [watched for watched in failed if watched.verdict is None]
    suite = ET.Element(
        "testsuite", name="halfulp", tests=str(len(watch.cases)), failures=str(len(failed) - len(errors)), errors=str(len(errors)),
        time=f"{sum(watched.seconds for watched in watch.cases):.3f}",
    )  # fmt: skip
    for watched in watch.cases:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=_legal(watched.file),
            name=_legal(watched.name),
            file=_legal(watched.file),
            line=str(watched.line),
            time=f"{watched.seconds:.3f}",
        )
        if watched in errors:
            ET.SubElement(case, "error", type="not run", message=_legal(watched.reason.partition("\n")[0])).text = _legal(watched.report)
        elif watched.exit_code and watched.verdict is not None:
            ET.SubElement(
                case, "failure", type=watched.verdict.name, message=_legal(f"{watched.verdict.name} ({watched.change}): {watched.reason}")
            ).text = _legal(watched.report)
        elif watched.report:
            ET.SubElement(case, "system-out").text = _legal(watched.report)
    suites = ET.Element(
        "testsuites", name="halfulp", tests=suite.get("tests", ""), failures=suite.get("failures", ""), errors=suite.get("errors", "")
    )
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _legal(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
