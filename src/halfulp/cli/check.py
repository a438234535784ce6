"""halfulp check ACTUAL [EXPECTED]"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .operands import Actual, BackendsOption, Expected, InputsOption, in_words, options_of, taken
from .output import Html, Json, is_printed, show


def check(
    actual: Actual,
    expected: Expected = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    declared: Annotated[
        Optional[str],
        typer.Option(
            help="The precision that the code under test may compute in: float64, float32, tf32, bfloat16, float16 ...",
            show_default="that of the inputs",
        ),
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Compare gradients too.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Gather all evidence, even when the verdict is already decided.")] = False,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Also try difficult variants of the inputs (tails, ties, cancellation, NaN), then search for worse ones; report the first that fails.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed for `inputs` and all random numbers.")] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Answer UNDECIDED if the inputs test nothing (zeros, empty or constant outputs).")
    ] = False,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the evidence.")] = False,
) -> None:
    """Is the difference rounding or a mistake? Runs both sides on their inputs and judges."""
    import dataclasses

    import halfulp

    from .progress import steps_on_stderr

    found = taken(actual, expected, inputs, backends, seed=seed, quiet=quiet or is_printed(as_json))
    with steps_on_stderr(quiet) as progress:
        result = halfulp.check(
            found.actual, found.expected, found.inputs, seed=seed, full=full, search=search, closeups=as_json is not None or html is not None,
            strict=strict, progress=progress, **options_of(found, declared, gradients=gradients),
        )  # fmt: skip
    result = dataclasses.replace(result, case_file=found.source, operands=in_words(actual, expected, inputs, backends))
    show(result, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(result.exit_code)
