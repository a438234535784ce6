"""halfulp explain ACTUAL [EXPECTED]"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from .operands import BackendsOption, Expected, InputsOption, MaybeActual, in_words, options_of, taken
from .output import Html, Json, is_printed, show


def explain(
    actual: MaybeActual = None,
    expected: Expected = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    declared: Annotated[
        Optional[str], typer.Option(help="The precision that the code under test may compute in.", show_default="that of the inputs")
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Compare gradients too.")] = False,
    budget: Annotated[
        float,
        typer.Option(help="Seconds for everything, including the verdict. Experiments that would take longer are skipped and listed."),
    ] = 60.0,
    no_processes: Annotated[bool, typer.Option("--no-processes", help="Skip settings that need a fresh process.")] = False,
    catalog: Annotated[
        bool, typer.Option("--catalog", help="List the known causes: what each looks like, and the experiment that tests for it.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed for `inputs` and all random numbers.")] = 0,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the evidence.")] = False,
) -> None:
    """Why do they differ? Changes one thing at a time and measures what becomes of the difference."""
    import dataclasses

    import halfulp
    from halfulp.errors import InputError

    if catalog:
        from halfulp.causes.hypotheses import CATALOG
        from halfulp.reports.text.causes import catalog_text

        typer.echo(
            catalog_text(
                [(hypothesis.name, hypothesis.looks_like, hypothesis.experiment, ", ".join(hypothesis.reports)) for hypothesis in CATALOG]
            )
        )
        return
    if actual is None:
        raise InputError(
            "Got nothing to run. Needed: a case file, two functions by name or two expressions. They are run again with one thing changed at a time. Pass them, or --catalog for what is known to go wrong."
        )
    from .progress import steps_on_stderr

    asked = "`explain` changes one thing at a time and runs both sides again"
    given = taken(actual, expected, inputs, backends, seed=seed, asked=asked, quiet=quiet or is_printed(as_json))
    with steps_on_stderr(quiet) as progress:
        found = halfulp.explain(
            given.actual, given.expected, given.inputs, seed=seed, budget_s=budget, processes=not no_processes, progress=progress,
            **options_of(given, declared, gradients=gradients),
        )  # fmt: skip
    result = dataclasses.replace(found.result, case_file=given.source, operands=in_words(actual, expected, inputs, backends))
    show(dataclasses.replace(found, result=result), as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code)
