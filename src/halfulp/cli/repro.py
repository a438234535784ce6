"""halfulp repro A.trace B.trace"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import say


def repro(
    actual: Annotated[Path, typer.Argument(help="The trace of the implementation under test, of level tensors.")],
    expected: Annotated[Path, typer.Argument(help="The trace of what it should agree with.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write repro.py and issue.md to.")] = Path("repro"),
    declared: Annotated[Optional[str], typer.Option(help="Precision that actual is entitled to.")] = None,
    run: Annotated[bool, typer.Option("--run", help="Run the script once it is written, and put its output into issue.md.")] = False,
) -> None:
    """Write the op at fault as a stand-alone script with only PyTorch in it, as small as it can be made."""
    import halfulp

    from .progress import steps_on_stderr

    with steps_on_stderr(False) as progress:
        script = halfulp.repro(actual, expected, output, declared=declared, run=run, progress=progress)
    did = "it was run, and issue.md has its output" if run else f"read it, then run it with python {script.name}"
    say(f"{script}: {did}; issue.md is ready to be pasted")
