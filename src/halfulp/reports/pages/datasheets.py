"""The page of a datasheet: properties, and the error of every function."""

from __future__ import annotations

import math
from functools import partial

from ...datasheets import Datasheet
from ..charts.datasheets import accuracy_columns, ulp_chart
from .page import Column, Columns, Figure, Number, Page, Pairs, Section, Table

COLUMNS = (
    Column("function", "function", is_code=True), Column("format", "format"), Column("inputs", "inputs", True), Column("exhaustive", "of all inputs"),
    Column("ulps", "max ulps", True), Column("at", "at input", True), Column("misrounded", "share misrounded", True), Column("specials", "NaN or inf wrong", True),
    Column("tail", "share that differs in short arrays", True),
)  # fmt: skip


def datasheet_page(sheet: Datasheet) -> Page:
    """The page of a datasheet."""
    machine = sheet.fingerprint.get("machine", {})
    version = sheet.fingerprint.get("packages", {}).get(sheet.library, "")
    datasets: dict[str, Columns] = {}
    sections: list[Section] = []
    measured = [accuracy for accuracy in sheet.accuracies if accuracy.inputs and math.isfinite(accuracy.max_ulp_error)]
    if measured:
        datasets["functions"] = accuracy_columns(sheet)
        caption = "In ulps of the exact value, on a logarithmic axis. The dashed line at 0.5 is the best there is: correct rounding. A name with ' is a derivative."
        figure = Figure("accuracy", partial(ulp_chart, sheet), "Largest error of each function", caption)
        sections.append(
            Section("functions", "How exact each function is", (figure, Table("functions", "Every function and format", COLUMNS)))
        )
    for place, (title, entries) in enumerate(sheet.properties.items()):
        sections.append(Section(f"property-{place}", title, (Pairs(title, tuple(entries.items())),)))
    environment = tuple((f"{section}: {name}", value) for section, entries in sheet.fingerprint.items() for name, value in entries.items())
    sections.append(Section("environment", "Where it was measured", (Pairs("Machine, versions and settings", environment),), is_open=False))
    return Page(
        "datasheet",
        "How exact is this library here?",
        f"{sheet.library} {version} on {sheet.device}".replace("  ", " "),
        "plain",
        f"Measured on {machine.get('processor', 'an unknown processor')}, {machine.get('system', '')}: rounding, orders, special values, and the error of {len({accuracy.function for accuracy in measured})} functions.",
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
            rounded = sum(accuracy.not_correctly_rounded == 0 and not accuracy.special_mismatches for accuracy in measured)
            found.append(
                Number(
                    f"{worst.max_ulp_error:.4g} ulps",
                    f"largest error in {name}: {worst.function}",
                    f"{rounded} of {len(measured)} functions are correctly rounded on all inputs tried",
                )
            )
    return tuple(found[:3])
