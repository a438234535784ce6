"""halfulp tolerance FILE.py"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, show


def tolerance(
    file: Annotated[Path, typer.Argument(help="A Python file with `actual`, `expected` and `inputs(seed)`.")],
    declared: Annotated[
        Optional[str],
        typer.Option(help="Precision that both implementations may use.", show_default="that of the inputs"),
    ] = None,
    probability: Annotated[float, typer.Option(help="Chance that two honest implementations differ by more.")] = 1e-6,
    draws: Annotated[int, typer.Option(min=1, help="How many seeds of `inputs` it covers.")] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    html: Html = None,
) -> None:
    """Which rtol and atol does a test of `expected` need? Derived from how far rounding moves it."""
    import halfulp
    from halfulp.cases import load_case_file

    loaded = load_case_file(file, 0)
    found = halfulp.suggest_tolerance(
        loaded["expected"],
        loaded["names"]["inputs"],
        declared if declared is not None else loaded.get("declared"),
        keywords=loaded.get("keywords"),
        failure_probability=probability,
        draws=draws,
    )
    show(found, as_json=as_json, html=html)
