"""SARIF 2.1.0: a result for each case that is not acceptable, a rule for each verdict, for code scanning."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...sweeps.watch import Watch, Watched
from ...verdicts import Verdict

STATES = {"new": "new", "unchanged": "unchanged"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif(watch: Watch) -> str:
    """The JSON text.

    References:
        OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.27 (result) and 3.49 (rule).
    """
    rules = [
        {"id": each.name, "shortDescription": {"text": each.meaning}, "defaultConfiguration": {"level": _level(each.acceptable)}}
        for each in Verdict
    ]
    run = {
        "tool": {
            "driver": {
                "name": "halfulp",
                "version": metadata.version("halfulp"),
                "informationUri": "https://github.com/halfulp/halfulp",
                "rules": rules,
            }
        },
        "invocations": [
            {
                "executionSuccessful": watch.complete and all(case.verdict is not None for case in watch.cases),
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": case.reason}, "locations": [_location(case)]}
                    for case in watch.cases
                    if case.verdict is None
                ],
            }
        ],
        "results": [_result(case, watch) for case in watch.cases if case.verdict is not None and not case.verdict.acceptable],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(each: Watched, watch: Watch) -> dict[str, Any]:
    """A case that is not acceptable. Those that are have no result: code scanning shows each as an alert, whatever its kind."""
    assert each.verdict is not None
    state = {"baselineState": STATES.get(each.change, "updated")} if watch.has_baseline else {}
    return {
        "ruleId": each.verdict.name,
        "ruleIndex": list(Verdict).index(each.verdict),
        "level": _level(each.verdict.acceptable),
        "message": {"text": each.reason},
        "locations": [_location(each)],
        "partialFingerprints": {"halfulpCase/v1": each.name},
        **state,
        "properties": {
            "change": each.change,
            "before": each.before.name if each.before is not None else None,
            "seconds": round(each.seconds, 3),
        },
    }


def _location(each: Watched) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(each.file)}, "region": {"startLine": each.line}}}


def _uri(path: str) -> str:
    """Relative where it lies below this folder, as viewers of code want it."""
    found = Path(path)
    if found.is_absolute():
        try:
            found = found.relative_to(Path.cwd())
        except ValueError:
            return found.as_uri()
    return quote(found.as_posix(), errors="replace")


def _level(acceptable: bool | None) -> str:
    return {True: "none", False: "error", None: "warning"}[acceptable]
