"""halfulp doctor"""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the fingerprint as JSON.")] = False,
) -> None:
    """What decides the bits on this machine: versions, CPU, libraries, threads, precision settings, and what surprises in them."""
    from importlib import import_module

    from halfulp.traces import fingerprint

    import_module("torch")  # the fingerprint reads settings only of frameworks that are loaded

    found = fingerprint()
    if as_json:
        typer.echo(found.to_json())
        return
    for section, entries in found.sections.items():
        typer.echo(section)
        for name, value in entries.items():
            typer.echo(f"  {name:<34} {value}")
    typer.echo("surprises")
    for surprise in found.surprises:
        typer.echo(f"  - {surprise}")
    if not found.surprises:
        typer.echo("  none of those that halfulp knows")
