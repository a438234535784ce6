"""A datasheet as a page of text, and what distinguishes two."""

from __future__ import annotations

import math
import textwrap

from rich.table import Table

from ...datasheets import Datasheet
from ...datasheets.sheet import USUAL_ULPS
from .tables import as_text, plain_table, width


def datasheet_text(sheet: Datasheet) -> str:
    """Everything that was measured, properties first."""
    machine = sheet.fingerprint.get("machine", {})
    version = sheet.fingerprint.get("packages", {}).get(sheet.library, "")
    lines = [
        f"Datasheet of {sheet.library} {version} on {sheet.device}: {machine.get('processor', '')}, {machine.get('system', '')}",
    ]
    for title, section in sheet.properties.items():
        lines += ["", title]
        for name, value in section.items():
            lines += textwrap.wrap(f"{name}: {value}", width(), initial_indent="  ", subsequent_indent="      ")
    if not sheet.accuracies:
        return "\n".join(lines)
    legend = (
        f"Errors are in ulps of the exact value; 0.5 is the best there is, and OpenCL allows up to {USUAL_ULPS:.0f} for the least exact elementary functions. "
        "A larger error is a fault, unless it is large only where values are near zero (the absolute error there is still as small as for values near 1). misrounded: share of results that are not the number nearest to "
        "the exact value. specials: results that are NaN or infinite where they shouldn't be, or finite where they should be NaN or infinite. tail: "
        "share of inputs that give a different result in a short array than in a long one (- where that wasn't measured). A name that ends in a prime (') "
        "is a derivative."
    )
    lines += ["", *textwrap.wrap(legend, width())]
    return as_text("\n".join(lines), "", _accuracies(sheet))


def _accuracies(sheet: Datasheet) -> Table:
    table = plain_table("function", "format", "inputs", "max ulps", "at input", "misrounded", "specials", "tail", "rating")
    for accuracy in sheet.accuracies:
        if not accuracy.inputs or math.isnan(accuracy.max_ulp_error):
            table.add_row(
                accuracy.function, accuracy.format, "nothing to compare" if accuracy.inputs else "not supported", "", "", "", "", "", ""
            )
            continue
        table.add_row(
            accuracy.function,
            accuracy.format,
            "all" if accuracy.is_exhaustive else f"{accuracy.inputs:,}",
            f"{accuracy.max_ulp_error:.4g}",
            f"{accuracy.worst_input:.6g}",
            _share(accuracy.not_correctly_rounded),
            f"{accuracy.special_mismatches:,}" if accuracy.special_mismatches else "-",
            _share(accuracy.tail_differs) if accuracy.tail_differs is not None else "-",
            accuracy.rating.value if accuracy.rating is not None else "-",
        )
    return table


def _share(value: float | None) -> str:
    return f"{100 * value:.3g} %" if value else "0"


def differences_text(first: Datasheet, second: Datasheet) -> str:
    """What distinguishes two datasheets, one line each."""
    found = first.differences(second)
    if not found:
        return (
            "The two datasheets agree in every property, and in the error of every function to within a tenth of an "
            "ulp (where the error is above one ulp, to within a tenth of the error)."
        )
    lines: list[str] = []
    for name, here, there in found:
        lines += textwrap.wrap(f"{name}: {here}  |  {there}", width(), subsequent_indent="    ")
    return "\n".join(lines)
