"""halfulp sweep PLAN"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional, cast

import typer

from .output import Html, Json, show


def sweep(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A TOML or a Python file that says what is checked.")],
    store: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the results are kept; many sweeps may share it.")] = Path("sweeps"),
    engine: Annotated[str, typer.Option(help="processes on this machine, or ray for a cluster.")] = "processes",
    address: Annotated[
        str,
        typer.Option(
            help="The address of the Ray cluster; auto is the one that this machine belongs to.",
            show_default="a cluster on this machine alone",
        ),
    ] = "",
    processes: Annotated[
        Optional[int], typer.Option(min=1, help="How many cases to check at a time.", show_default="one for each processor")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Finish the last run of this plan, which was interrupted.")] = False,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
) -> None:
    """Which of these cases are wrong? Checks every case of a plan, on one machine or many, explains what is flagged, and keeps the results."""
    import halfulp

    from .progress import steps_on_stderr

    with steps_on_stderr(quiet) as progress:
        found = halfulp.sweep(
            plan, store, engine=cast("Any", engine), address=address, processes=processes, resume=resume, progress=progress
        )
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code if found.complete else 130)
