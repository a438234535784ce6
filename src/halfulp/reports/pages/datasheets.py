"""The page of a datasheet: properties, and the error of every function."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial

from ...datasheets import Datasheet
from ...datasheets.sheet import USUAL_ULPS, Accuracy, Rating
from ...words.numbers import counted, number, verb
from ..charts.datasheets import accuracy_columns, ulp_chart
from .page import Column, Columns, Figure, Number, Page, Pairs, Section, Table

RATED = (
    "In ulps of the exact value, on a logarithmic axis. The dashed line at 0.5 is the best there is: correct rounding. Good libraries stay "
    f"within one or a few ulps; OpenCL allows up to {USUAL_ULPS:.0f} for the least exact elementary functions. A larger error is a fault, unless it is "
    "large only where the function's values are near zero: there the absolute error is still as small as for values near 1. A name that ends in "
    "a prime (') is a derivative."
)
COLUMNS = (
    Column("function", "function", is_code=True), Column("format", "format"), Column("inputs", "inputs", True), Column("exhaustive", "of all inputs"),
    Column("ulps", "max ulps", True), Column("at", "at input", True), Column("rating", "rating"), Column("misrounded", "share misrounded", True), Column("specials", "NaN or inf wrong", True),
    Column("tail", "differs in short arrays", True),
)  # fmt: skip


def datasheet_page(sheet: Datasheet) -> Page:
    """The page of a datasheet."""
    machine = sheet.fingerprint.get("machine", {})
    version = sheet.fingerprint.get("packages", {}).get(sheet.library, "")
    datasets: dict[str, Columns] = {}
    sections: list[Section] = []
    ran_on = [machine.get("processor", "an unknown processor"), *([machine["system"]] if machine.get("system") else [])]
    measured = [accuracy for accuracy in sheet.accuracies if accuracy.inputs and math.isfinite(accuracy.max_ulp_error)]
    functions = len({accuracy.function for accuracy in measured})
    if measured:
        datasets["functions"] = accuracy_columns(sheet)
        caption = RATED
        figure = Figure("accuracy", partial(ulp_chart, sheet), "Largest error of each function", caption)
        sections.append(
            Section("functions", "How accurate each function is", (figure, Table("functions", "Every function and format", COLUMNS)))
        )
    for place, (title, entries) in enumerate(sheet.properties.items()):
        sections.append(Section(f"property-{place}", title[:1].upper() + title[1:], (Pairs("What was measured", tuple(entries.items())),)))
    environment = tuple((f"{section}: {name}", value) for section, entries in sheet.fingerprint.items() for name, value in entries.items())
    sections.append(Section("environment", "Where it was measured", (Pairs("Machine, versions and settings", environment),), is_open=False))
    return Page(
        "datasheet",
        "How accurate is this library here?",
        f"{sheet.library} {version} on {sheet.device}".replace("  ", " "),
        "plain",
        f"Measured on {', '.join(ran_on)}: rounding, orders, special values, and the error of {counted(functions, 'function')}.",
        _numbers(sheet),
        ("halfulp datasheet diff A.json B.json says what distinguishes two machines, versions or libraries.",),
        tuple(sections),
        datasets,
    )


def _numbers(sheet: Datasheet) -> tuple[Number, ...]:
    found: list[Number] = []
    for name in ("float32", "bfloat16", "float16", "float64"):
        measured = [
            accuracy
            for accuracy in sheet.accuracies
            if accuracy.format == name and accuracy.inputs and math.isfinite(accuracy.max_ulp_error)
        ]
        if measured:
            worst = max(measured, key=lambda accuracy: accuracy.max_ulp_error)
            count = Counter(accuracy.rating for accuracy in measured)
            good = count[Rating.CORRECT] + count[Rating.FAITHFUL]
            found.append(
                Number(
                    f"{good} of {len(measured)}",
                    f"{'function' if len(measured) == 1 else 'functions'} {verb(good, 'are')} within 1 ulp in {name}, and {count[Rating.CORRECT]} correctly rounded on all inputs tried",
                    f"{count[Rating.INEXACT]} exceed {USUAL_ULPS:.0f} ulps{_named(measured)}, and {count[Rating.NEAR_ZERO]} more exceed that only near zero; "
                    f"the largest error, in ulps, is {number(worst.max_ulp_error)}, for {worst.function}",
                )
            )
    return tuple(found[:3])


def _named(measured: list[Accuracy]) -> str:
    names = [accuracy.function for accuracy in measured if accuracy.rating is Rating.INEXACT]
    return f" ({', '.join(names[:4])}{' ...' if len(names) > 4 else ''})" if names else ""
