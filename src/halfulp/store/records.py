"""Row and Finding: what a store holds of a case, and of a group of flagged cases."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Any

NAMELESS = "case {} (not made)"
"""The setting of a case that could not even be made, by its number from 1."""


@dataclass(frozen=True)
class Row:
    """One case, as it is stored.

    Attributes:
        plan: the plan's name. run: when the sweep was started, and a number of its own. case: what tells the case from all others of its
            plan; the same case has the same text in every run.
        source: where the case comes from ("opinfo"). subject: what is under test: an op, a function, a file.
        actual, expected: what the two sides are called. dtype, shape: of the inputs. environment: the name of the variables that it ran with.
        setting: what else tells the case apart. number: its place among the cases of its subject. seed: of the inputs.
        verdict: "ROUNDING" ...; "" where there is none. acceptable: None where it is undecided, or there is no verdict.
        because: the kinds of evidence that decided. reason: the verdict's reason in a sentence.
        excess: the error in units of the limit of a correct implementation. error_in_noise: in units of what rounding causes.
            relative_error: the rms of the difference over that of the result. largest_ulps: the largest difference in ulps.
        repeated: the verdict with another seed, where it was asked; "" otherwise. bundle: flagged cases with the same text here are taken
            for one finding; "" where nothing is flagged.
        fault: why there is no verdict: what a side lacks, or how its process ended.
        evidence: all that was measured, as JSON. versions: of what it ran with, as JSON. machine: a digest of the versions and the processor.
        seconds: how long the case took. finished: when it was done, in seconds since 1970.
    """

    plan: str
    run: str
    case: str
    source: str
    subject: str
    actual: str
    expected: str
    dtype: str = ""
    shape: str = ""
    environment: str = ""
    setting: str = ""
    number: int = 0
    seed: int = 0
    verdict: str = ""
    acceptable: bool | None = None
    because: str = ""
    reason: str = ""
    excess: float | None = None
    error_in_noise: float | None = None
    relative_error: float | None = None
    largest_ulps: float | None = None
    repeated: str = ""
    bundle: str = ""
    fault: str = ""
    evidence: str = ""
    versions: str = ""
    machine: str = ""
    seconds: float = 0.0
    finished: float = 0.0


@dataclass(frozen=True)
class Finding:
    """What was looked for in one case of a bundle of flagged ones: the one with the largest error.

    Attributes:
        plan, run, case: of the case that was looked at. bundle: see `Row`.
        cause: what explains the difference, by name; "" where no experiment does. explanation: the same in a sentence, with its share.
        origin: the call where it begins; "" for the whole function, or where it was not found.
        smallest: the smallest inputs that were found to keep the verdict, in words. script: a program that shows it, with a text for a report.
        fault: why it could not be looked at. seconds: how long it took. finished: when it was done, in seconds since 1970.
    """

    plan: str
    run: str
    case: str
    bundle: str
    cause: str = ""
    explanation: str = ""
    origin: str = ""
    smallest: str = ""
    script: str = ""
    fault: str = ""
    seconds: float = 0.0
    finished: float = 0.0


Record = Row | Finding


@functools.cache
def arrow_schema(kind: type[Record]) -> Any:
    """The columns of a Parquet file of such records: their names, types and order."""
    import pyarrow

    types = {
        "str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64(),
        "float | None": pyarrow.float64(), "bool | None": pyarrow.bool_(),
    }  # fmt: skip
    return pyarrow.schema([(field.name, types[str(field.type)]) for field in dataclasses.fields(kind)])
