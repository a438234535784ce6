"""halfulp bench verdicts"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

app = typer.Typer(help="Measure halfulp itself.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure halfulp itself."""


@app.command("verdicts")
def verdicts(
    json_file: Annotated[Optional[Path], typer.Option("--json", help="Write all outcomes to this file.")] = None,  # noqa: UP045
    seeds: Annotated[int, typer.Option(help="How many seeds of each pair to run.")] = 1,
    resume: Annotated[Optional[Path], typer.Option(help="Keep outcomes here as they come, and go on from what is there.")] = None,  # noqa: UP045
) -> None:
    """How often the verdict is right on the labelled pairs, beside assert_close, allclose and torch._dynamo.utils.same."""
    import sys

    from halfulp.places import folder

    sys.path.insert(0, str(folder("benchmarks")))
    from verdicts.run import run  # pyright: ignore[reportMissingImports]

    raise typer.Exit(run(json_file=json_file, seeds=seeds, resume=resume))
