"""halfulp env diff A B"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .commands import Command, application_of
from .output import Json, say, say_json

app = application_of(help="Where things ran: the settings, versions and hardware that decide the bits of results.", no_args_is_help=True)


@app.command("show", cls=Command)
def show(
    source: Annotated[
        str, typer.Argument(help="A trace, a datasheet, the JSON of `halfulp doctor --json`, or 'here' for this machine.")
    ] = "here",
) -> None:
    """Print a fingerprint."""
    from halfulp.traces import read_fingerprint

    for section, entries in read_fingerprint(source).sections.items():
        say(section)
        for name, value in entries.items():
            say(f"  {name:<40} {value}")


@app.command("diff", cls=Command)
def diff(
    first: Annotated[str, typer.Argument(help="A trace, a datasheet, the JSON of `halfulp doctor --json`, or 'here' for this machine.")],
    second: Annotated[str, typer.Argument(help="Another.")] = "here",
    as_json: Json = None,
) -> None:
    """Show only what differs, likeliest culprits first. Exits with 0 if nothing differs, else with 1."""
    import json

    from halfulp.traces import read_fingerprint

    found = read_fingerprint(first).differences(read_fingerprint(second))
    rows = [{"name": name, "first": here, "second": there} for name, here, there in found]
    if say_json(json.dumps(rows, indent=1), as_json):
        pass
    elif not found:
        say("The settings, versions and hardware are the same.")
    else:
        left, right = Path(first).name, Path(second).name
        width = max(len(name) for name, _, _ in found)
        span = max(len(left), *(len(here) for _, here, _ in found))
        say(f"{'':<{width}}  {left:<{span}}  {right}")
        for name, here, there in found:
            say(f"{name:<{width}}  {here:<{span}}  {there}")
    raise typer.Exit(int(bool(found)))
