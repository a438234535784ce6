"""halfulp matrix"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, Json, is_printed, say, show


def matrix(
    backends: Annotated[
        Optional[str],
        typer.Option(
            help="Backends, separated by commas; options follow a colon: torch,openvino:precision=f32.", show_default="all that are here"
        ),
    ] = None,
    ops: Annotated[Optional[str], typer.Option(help="Ops, separated by commas.", show_default="all 38")] = None,
    dtypes: Annotated[str, typer.Option(help="Formats of the inputs, separated by commas.")] = "float32",
    shapes: Annotated[str, typer.Option(help="Sizes, separated by commas: small, medium, odd.")] = "small,medium,odd",
    seed: Annotated[int, typer.Option(help="The seed of the inputs.")] = 0,
    as_json: Json = None,
    html: Html = None,
    resume: Annotated[
        Optional[Path], typer.Option(help="Keep finished cases in this file, and resume from it after an interruption.")
    ] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="Also list each pair of backends that differ by more than rounding.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the number of cases for each verdict.")] = False,
) -> None:
    """Which backends agree on which ops? Verdicts, errors in units of u (the unit roundoff), and groups of backends with equal bits."""
    from halfulp.reports.text.matrices import pairs_text
    from halfulp.sources.engines import apart
    from halfulp.sweeps import matrix as run

    from .progress import steps_on_stderr

    def listed(words: Optional[str]) -> Optional[list[str]]:
        return None if words is None else [name.strip() for name in apart(words)]

    with steps_on_stderr(quiet) as progress:
        found = run(
            listed(backends),
            listed(ops),
            dtypes=listed(dtypes) or (),
            sizes=listed(shapes) or (),
            seed=seed,
            resume=resume,
            progress=progress,
        )
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    if pairs:
        say(pairs_text(found), err=is_printed(as_json))
    raise typer.Exit(found.exit_code if found.complete else 130)
