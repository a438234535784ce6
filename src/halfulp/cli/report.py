"""halfulp report RESULT.json -o page.html"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import page_file, save, say


def report(
    result: Annotated[Path, typer.Argument(help="A result as JSON: what a command with --json printed.")],
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", callback=page_file, help="Write a page (.html) to this file.", show_default="print text"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the evidence.")] = False,
) -> None:
    """Show a stored result again: as text, or as one self-contained page that opens offline. Exits with 0."""
    import halfulp

    found = halfulp.read_result(result)
    if output is None:
        say(halfulp.report(found, form="answer" if quiet else "full"))
        return
    save(found, output)
