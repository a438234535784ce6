"""CheckResult: everything that check found, printable, storable as JSON, and judgeable again."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import Any

from ..differences import Comparison, Difference, Mismatch, WorstElement
from ..errors import InputError
from .evidence.evidence import Evidence
from .verdict import Verdict

SCHEMA = 1
"""Raised whenever the meaning of a stored field changes."""


@dataclass(frozen=True)
class CheckResult:
    """The answer to "rounding or mistake?" with what it rests on.

    Attributes:
        verdict: one of the eight.
        because: the kinds of evidence that decided, most decisive first.
        evidence: all that was measured.
        difference: `actual` against `expected` in numbers.
        declared: the precision that `actual` was judged by.
        names: what the two sides are called, (actual, expected).
        seed: the seed of the inputs and of the sampled noise.
        seconds: how long it took.
        versions: of Python and the packages that were used.
    """

    verdict: Verdict
    because: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    difference: Comparison
    declared: str
    names: tuple[str, str] = ("actual", "expected")
    seed: int = 0
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def acceptable(self) -> bool | None:
        """True, False, or None when undecided."""
        return self.verdict.acceptable

    @property
    def exit_code(self) -> int:
        """What the command line exits with: 0 acceptable, 1 not, 3 undecided."""
        return self.verdict.exit_code

    @property
    def reason(self) -> str:
        """The reason for the verdict in a sentence."""
        import halfulp

        return halfulp.report(self, form="reason")

    def find(self, kind: str) -> Evidence | None:
        """The evidence of that kind, None when it was not gathered."""
        return next((each for each in self.evidence if each.kind == kind), None)

    def __str__(self) -> str:
        import halfulp

        return halfulp.report(self)

    def to_json(self) -> str:
        """The result as JSON text with a schema number; numbers that JSON lacks are the strings "nan", "inf", "-inf"."""
        content: dict[str, Any] = {"schema": SCHEMA, "acceptable": self.acceptable, "reason": self.reason, **dataclasses.asdict(self)}
        content["verdict"] = self.verdict.name
        content["evidence"] = [
            {**dataclasses.asdict(each), "speaks_for": [verdict.name for verdict in each.speaks_for]} for each in self.evidence
        ]
        return json.dumps(plain(content), indent=1, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> CheckResult:
        """The result that `to_json` wrote.

        Raises:
            InputError: the text is no such JSON, or of a schema that this version does not know.
        """
        try:
            content: dict[str, Any] = _restored(json.loads(text))
            schema = content["schema"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"Got text that is no stored result ({type(error).__name__}: {error}). Needed: what CheckResult.to_json or "
                "`halfulp check --json` wrote. Nothing was read. Check the file."
            ) from error
        if schema != SCHEMA:
            raise InputError(
                f"Got a result of schema {schema}. Needed: schema {SCHEMA}. The meaning of its fields differs. "
                "Read it with the halfulp version that wrote it."
            )
        evidence = tuple(
            Evidence(
                each["kind"],
                each["finding"],
                tuple(Verdict[name] for name in each["speaks_for"]),
                each["measured"],
                each["path"],
            )
            for each in content["evidence"]
        )
        stored = content["difference"]
        difference = Comparison(
            tuple(_difference(each) for each in stored["differences"]),
            tuple(Mismatch(**each) for each in stored["mismatches"]),
        )
        return CheckResult(
            verdict=Verdict[content["verdict"]],
            because=tuple(content["because"]),
            evidence=evidence,
            difference=difference,
            declared=content["declared"],
            names=tuple(content["names"]),
            seed=content["seed"],
            seconds=content["seconds"],
            versions=content["versions"],
        )


def _difference(stored: dict[str, Any]) -> Difference:
    content = dict(stored)
    for name in ("worst_abs", "worst_rel", "worst_ulps"):
        content[name] = tuple(_worst_element(each) for each in content[name])
    content["shape"] = tuple(content["shape"])
    content["ulp_histogram"] = tuple((upper, count) for upper, count in content["ulp_histogram"])
    return Difference(**content)


def _worst_element(stored: dict[str, Any]) -> WorstElement:
    content = dict(stored)
    content["index"] = tuple(content["index"])
    return WorstElement(**content)


_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def plain(value: Any) -> Any:
    """The same content in types that strict JSON has: non-finite numbers become strings, tuples lists."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _restored(value: Any) -> Any:
    if isinstance(value, str):
        return _SPECIAL.get(value, value)
    if isinstance(value, dict):
        return {key: _restored(part) for key, part in value.items()}
    return [_restored(part) for part in value] if isinstance(value, list) else value
