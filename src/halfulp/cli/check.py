"""halfulp check FILE.py"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, show


def check(
    file: Annotated[Path, typer.Argument(help="A Python file with `actual`, `expected` and `inputs(seed)`.")],
    declared: Annotated[
        Optional[str],
        typer.Option(
            help="Precision that actual is entitled to: float64, float32, tf32, bfloat16, float16 ...", show_default="that of the inputs"
        ),
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Compare gradients too.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Gather all evidence, also where the verdict is decided early.")] = False,
    search: Annotated[bool, typer.Option("--search", help="Also try nasty variants of the inputs; report the first that fails.")] = False,
    seed: Annotated[int, typer.Option(help="Passed to `inputs`, and where random numbers start.")] = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Call it undecided if the inputs test nothing (zeros, empty or constant outputs).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
) -> None:
    """Is the difference rounding or a mistake? Runs the two functions of a case file and judges."""
    import dataclasses

    import halfulp
    from halfulp.cases import load_case_file

    from .progress import steps_on_stderr

    loaded = load_case_file(file, seed)
    options = {key: loaded[key] for key in ("declared", "reference", "gradients", "keywords") if key in loaded}
    if declared is not None:
        options["declared"] = declared
    if gradients:
        options["gradients"] = True
    effort = "full" if full else "decide"
    with steps_on_stderr(quiet or as_json) as progress:
        result = halfulp.check(
            loaded["actual"], loaded["expected"], loaded["inputs"], seed=seed, effort=effort, search=search, closeups=as_json or html is not None,
            strict=strict, progress=progress, **options,
        )  # fmt: skip
    result = dataclasses.replace(result, case_file=loaded["source"])
    show(result, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(result.exit_code)
