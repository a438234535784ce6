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
        {"id": verdict.name, "shortDescription": {"text": verdict.meaning}, "defaultConfiguration": {"level": _level(verdict.acceptable)}}
        for verdict in Verdict
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


def _result(watched: Watched, watch: Watch) -> dict[str, Any]:
    """A case that is not acceptable. Those that are have no result: code scanning shows each as an alert, whatever its kind."""
    assert watched.verdict is not None
    state = {"baselineState": STATES.get(watched.change, "updated")} if watch.has_baseline else {}
    return {
        "ruleId": watched.verdict.name,
        "ruleIndex": list(Verdict).index(watched.verdict),
        "level": _level(watched.verdict.acceptable),
        "message": {"text": watched.reason},
        "locations": [_location(watched)],
        "partialFingerprints": {"halfulpCase/v1": watched.name},
        **state,
        "properties": {
            "change": watched.change,
            "before": watched.before.name if watched.before is not None else None,
            "seconds": round(watched.seconds, 3),
        },
    }


def _location(watched: Watched) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(watched.file)}, "region": {"startLine": watched.line}}}


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
