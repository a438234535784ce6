"""halfulp explain FILE.py"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, show


def explain(
    file: Annotated[Optional[Path], typer.Argument(help="A Python file with `actual`, `expected` and `inputs(seed)`.")] = None,
    declared: Annotated[
        Optional[str], typer.Option(help="Precision that actual is entitled to.", show_default="that of the inputs")
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Compare gradients too.")] = False,
    budget: Annotated[float, typer.Option(help="Seconds after which no new experiment begins.")] = 60.0,
    no_processes: Annotated[bool, typer.Option("--no-processes", help="Try no settings that need a fresh process.")] = False,
    catalogue: Annotated[
        bool, typer.Option("--catalogue", help="List the known causes: what each looks like, and the experiment that tells.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Passed to `inputs`, and where random numbers start.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
) -> None:
    """Why do they differ? Changes one thing at a time and measures what becomes of the difference."""
    import dataclasses

    import halfulp
    from halfulp.errors import InputError

    if catalogue:
        from halfulp.causes.hypotheses import CATALOGUE
        from halfulp.reports.text.causes import catalogue_text

        typer.echo(
            catalogue_text(
                [(hypothesis.name, hypothesis.looks_like, hypothesis.experiment, ", ".join(hypothesis.reports)) for hypothesis in CATALOGUE]
            )
        )
        return
    if file is None:
        raise InputError(
            "Got no file. Needed: a Python file with `actual`, `expected` and `inputs(seed)`. They are run and changed. "
            "Pass its path, or --catalogue for what is known to go wrong."
        )
    from halfulp.cases import load_case_file

    from .progress import steps_on_stderr

    loaded = load_case_file(file, seed)
    options = {key: loaded[key] for key in ("declared", "reference", "gradients", "keywords") if key in loaded}
    if declared is not None:
        options["declared"] = declared
    if gradients:
        options["gradients"] = True
    with steps_on_stderr(quiet or as_json) as progress:
        found = halfulp.explain(
            loaded["actual"], loaded["expected"], loaded["inputs"], seed=seed, budget_s=budget, processes=not no_processes, progress=progress, **options
        )  # fmt: skip
    result = dataclasses.replace(found.result, case_file=loaded["source"])
    show(dataclasses.replace(found, result=result), as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code)
