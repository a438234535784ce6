"""halfulp skill"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import say, writable


def skill(
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", callback=writable, help="Write it to this file, such as .claude/skills/halfulp/SKILL.md."),
    ] = None,
) -> None:
    """Print the skill file: how a coding assistant calls halfulp and reads its answers. Exits with 0."""
    from halfulp.assistants import skill as text
    from halfulp.files import write_file

    if output is None:
        typer.echo(text(), nl=False)
        return
    write_file(output, text())
    say(f"Wrote {output}", err=True)
