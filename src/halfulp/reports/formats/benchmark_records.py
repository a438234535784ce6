"""A sweep in the format of PyTorch's benchmark database, version 3, which its dashboards read: a record for each metric of each subject."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from ...sweeps.swept import Subject, Swept


def records_text(found: Swept) -> str:
    """The records as a JSON list."""
    return json.dumps(list(records(found)), indent=1, allow_nan=False) + "\n"


def records(found: Swept) -> Iterator[dict[str, Any]]:
    """A record for each metric of each subject: `benchmark`, `model` and `metric`, as the format has them."""
    for subject in found.subjects:
        for name, value, unit in _metrics(subject):
            yield {
                "benchmark": {
                    "name": f"halfulp {found.plan}",
                    "mode": "training" if "gradients" in subject.actual else "inference",
                    "dtype": subject.dtype,
                    "extra_info": {
                        "run": found.run, "expected": subject.expected, "environment": subject.environment,
                        "worst_verdict": subject.worst_verdict, **found.versions,
                    },
                },
                "model": {"name": subject.subject, "type": "numerics", "backend": subject.actual, "origins": ["halfulp"]},
                "metric": {"name": name, "unit": unit, "benchmark_values": [value]},
            }  # fmt: skip


def _metrics(subject: Subject) -> Iterator[tuple[str, float, str]]:
    yield "cases_not_acceptable", subject.flagged, "cases"
    yield "cases", subject.cases, "cases"
    yield "cases_without_verdict", subject.faults + subject.undecided, "cases"
    if subject.worst_excess is not None and math.isfinite(subject.worst_excess):
        yield "largest_error", subject.worst_excess, "limits of a correct implementation"
