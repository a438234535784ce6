"""halfulp bench verdicts"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .commands import PRINTED, Command, application_of
from .output import Json

app = application_of(help="Measure halfulp itself.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure halfulp itself."""


@app.command("verdicts", cls=Command)
def verdicts(
    as_json: Json = None,
    parts: Annotated[
        Optional[list[str]],
        typer.Option(
            "--part",
            help="Only this part: pairs, 'sixteen bits' (in quotes), models, detection, or honest, which is pairs of correct implementations; may be given several times.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds of each labeled pair to run.")] = 1,
    honest: Annotated[int, typer.Option(min=1, help="How many pairs of correct implementations to generate.")] = 2000,
    limits: Annotated[
        bool, typer.Option("--limits", help="Instead, measure the smallest fault that is detected, by op and precision.")
    ] = False,
    draws: Annotated[int, typer.Option(min=20, help="With --limits: how many inputs a fault is tried on.")] = 100,
    only: Annotated[str, typer.Option(help="With --limits: only where OP/PRECISION/FAULT contains this text.")] = "",
    resume: Annotated[Optional[Path], typer.Option(help="Keep outcomes in this file as they come in, and resume from it.")] = None,
) -> None:
    """How often the verdict is right, compared with assert_close, allclose, torch._dynamo.utils.same and msprobe's rule.

    Labeled pairs, generated honest pairs, whole models with honest variants and mutants, and mutants at shrinking magnitudes.
    """
    import sys

    from halfulp.errors import InputError
    from halfulp.places import folder

    sys.path.insert(0, str(folder("benchmarks")))
    from verdicts.run import PARTS, run  # pyright: ignore[reportMissingImports]

    if as_json == PRINTED:
        raise InputError(
            "Got --json without a file. Needed: a file ending in .json. There are thousands of outcomes. Pass --json outcomes.json."
        )
    json_file = Path(as_json) if as_json is not None else None
    if limits:
        from verdicts.detection_limits import run_limits  # pyright: ignore[reportMissingImports]

        raise typer.Exit(run_limits(json_file=json_file, resume=resume, draws=draws, only=only))

    unknown = set(parts or ()) - set(PARTS)
    if unknown:
        raise InputError(f"Got --part {unknown.pop()}. Needed: one of {', '.join(PARTS)}. There is no other part. Leave it out to run all.")
    raise typer.Exit(run(json_file=json_file, parts=parts or PARTS, seeds=seeds, honest=honest, resume=resume))
