"""halfulp backends, halfulp backends install NAME, halfulp backends remove NAME"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .commands import Command, application_of
from .output import Json, say, say_json

app = application_of(help="Which implementations can be compared here, how to get the others, and which precision each runs in.")


@app.callback(invoke_without_command=True)
def backends(
    context: typer.Context,
    measure: Annotated[
        bool,
        typer.Option("--measure/--no-measure", help="Measure the precision that each available backend runs in (about a second each)."),
    ] = True,
    as_json: Json = None,
) -> None:
    """List the backends; exits with 0."""
    if context.invoked_subcommand is not None:
        return
    import json
    from dataclasses import asdict

    from halfulp.backends import availability, backend, names
    from halfulp.backends.measured_habits import habits_of
    from halfulp.reports.text.backends import backends_text

    from .progress import steps_on_stderr

    found = {name: availability(name) for name in names()}
    habits = {}
    with steps_on_stderr(False) as progress:
        for name in [name for name, availability in found.items() if availability and measure]:
            progress(f"measuring {name}")
            loaded = backend(name)
            found[name] = loaded.availability()  # now that it is loaded it knows better: whether there is a driver, say
            if found[name]:
                habits[name] = habits_of(loaded, switches=False)
    if as_json is not None:
        content = {
            name: {**asdict(availability), "habits": asdict(habits[name]) if name in habits else None}
            for name, availability in found.items()
        }
        if say_json(json.dumps({"schema": 1, "backends": content}, indent=1), as_json):
            return
    say(backends_text(found, habits))


@app.command("install", cls=Command)
def install(
    name: Annotated[list[str], typer.Argument(help="Backends, as `halfulp backends` lists them.")],
    constraint: Annotated[Optional[Path], typer.Option("--constraint", "-c", help="A constraints file for pip.")] = None,
) -> None:
    """Make an environment for a backend on top of this one; whatever runs in it runs in a separate process."""
    from halfulp.backends.registry import BUILT_IN, adapter_named
    from halfulp.backends.workers.environments import environment_of, requirements_of
    from halfulp.errors import InputError

    for word in name:
        adapter = adapter_named(word)
        if not adapter.extra:
            known = ", ".join(other for other in BUILT_IN if adapter_named(other).extra)
            raise InputError(
                f"Got {word} to install. Needed: one of {known}. {word} needs no installation: it comes with PyTorch and NumPy, which halfulp needs anyway (cuda, mps and xpu also need the device). Leave it out."
            )
        main = next(iter(adapter.packages.values()))
        environment_of(word).install(
            requirements_of(adapter.extra), main, constraints=constraint, progress=lambda words: say(words, err=True)
        )


@app.command("remove", cls=Command)
def remove(name: Annotated[list[str], typer.Argument(help="Backends whose environments are deleted.")]) -> None:
    """Delete environments that `install` made."""
    from halfulp.backends.registry import adapter_named
    from halfulp.backends.workers.environments import environment_of

    for word in name:
        environment_of(adapter_named(word).name).remove()
