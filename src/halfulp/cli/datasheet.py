"""halfulp datasheet, halfulp datasheet diff A B"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .commands import Command, application_of
from .output import Html, Json, say, show, writable

app = application_of(
    help=(
        "How accurate is a library here? Measures precisions, orders of summation, rounding, special values, and the ulp errors of all functions."
    )
)


@app.callback(invoke_without_command=True)
def datasheet(
    context: typer.Context,
    backend: Annotated[str, typer.Option(help="torch, numpy, jax, or another one that `halfulp backends` lists.")] = "torch",
    device: Annotated[str, typer.Option(help="A device of torch: cpu, cuda, mps ...")] = "cpu",
    full: Annotated[bool, typer.Option("--full", help="Scan all 2**32 float32 inputs of each function (half a minute each).")] = False,
    function: Annotated[
        Optional[list[str]],
        typer.Option("--function", "-f", help="Scan only this function; may be repeated.", show_default="all"),
    ] = None,
    resume: Annotated[
        Optional[Path],
        typer.Option(help="Keep finished scans in this file, and resume from it after an interruption."),
    ] = None,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", callback=writable, help="Write the datasheet as JSON, for `halfulp datasheet diff`."),
    ] = None,
    as_json: Json = None,
    html: Html = None,
) -> None:
    """Measure a library and print its datasheet (half a minute); exits with 0."""
    if context.invoked_subcommand is not None:
        return
    import halfulp
    from halfulp.files import write_file

    from .progress import steps_on_stderr

    with steps_on_stderr(False) as progress:
        sheet = halfulp.datasheet(
            backend, device, full=full, functions=tuple(function) if function else None, resume=resume, progress=progress
        )
    if output is not None:
        write_file(output, sheet.to_json() + "\n")
    show(sheet, as_json=as_json, html=html)


@app.command("diff", cls=Command)
def diff(
    first: Annotated[Path, typer.Argument(help="A file that `halfulp datasheet -o` wrote.")],
    second: Annotated[Path, typer.Argument(help="Another one.")],
) -> None:
    """What differs between two machines, versions or libraries? Machine and settings first. Exits with 0 if nothing differs, else with 1."""
    from halfulp.datasheets import read_datasheet
    from halfulp.reports.text.datasheets import differences_text

    sheets = read_datasheet(first), read_datasheet(second)
    say(differences_text(*sheets))
    raise typer.Exit(1 if sheets[0].differences(sheets[1]) else 0)
