"""halfulp tolerance EXPECTED"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .operands import InputsOption, taken
from .output import Html, Json, is_printed, show


def tolerance(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A case file, whose `expected` is run; FILE.py:name, package.module:name, an expression, or an ONNX model.",
        ),
    ],
    expected: Annotated[
        Optional[str],
        typer.Argument(metavar="[EXPECTED]", help="A second argument, as for `check`; if it is given, it is run instead of the first."),
    ] = None,
    inputs: InputsOption = None,
    declared: Annotated[
        Optional[str],
        typer.Option(help="The precision that both implementations may use.", show_default="that of the inputs"),
    ] = None,
    probability: Annotated[
        float, typer.Option(help="The chance that two correct implementations differ by more than the tolerance.")
    ] = 1e-6,
    draws: Annotated[int, typer.Option(min=1, help="How many seeds of `inputs` the tolerance covers.")] = 4,
    as_json: Json = None,
    html: Html = None,
) -> None:
    """Which rtol and atol does a test of `expected` need? Derived from how far rounding moves it."""
    import halfulp

    from .progress import steps_on_stderr

    given = taken(
        file,
        expected,
        inputs,
        one_side=True,
        asked="`tolerance` runs the function with rounding added to its ops",
        quiet=is_printed(as_json),
    )
    with steps_on_stderr(False, "sampling how far rounding moves the results"):
        found = halfulp.tolerance(
            given.expected,
            given.draw,
            declared if declared is not None else given.options.get("declared"),
            keywords=given.options.get("keywords"),
            failure_probability=probability,
            draws=draws,
        )
    show(found, as_json=as_json, html=html)
