"""halfulp repro A.trace B.trace"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .operands import InputsOption, taken
from .output import say


def repro(
    actual: Annotated[
        str,
        typer.Argument(
            help="The trace of the implementation under test, recorded with --level tensors; or something to run: a case file, FILE.py:name, an expression."
        ),
    ],
    expected: Annotated[
        Optional[str], typer.Argument(help="The trace of what it should agree with; or, as above, something to run.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write repro.py and issue.md to.")] = Path("repro"),
    declared: Annotated[Optional[str], typer.Option(help="The precision that the code under test may compute in.")] = None,
    inputs: InputsOption = None,
    seed: Annotated[int, typer.Option(help="When code is run: the seed passed to `inputs`.")] = 0,
    run: Annotated[bool, typer.Option("--run", help="Run the script once it is written, and put its output into issue.md.")] = False,
) -> None:
    """Write the op at fault as a stand-alone script with only PyTorch in it, as small as it can be made."""
    import tempfile

    import halfulp

    from .progress import steps_on_stderr

    with steps_on_stderr(False) as progress, tempfile.TemporaryDirectory(prefix="halfulp-") as folder:
        traces = [Path(word) for word in (actual, expected) if word is not None]
        if not (len(traces) == 2 and all(path.is_dir() for path in traces)):
            given = taken(actual, expected, inputs, seed=seed, asked="`repro` records both sides")
            declared = declared or given.options.get("declared")
            traces = [Path(folder) / f"{name}.trace" for name in ("actual", "expected")]
            for path in traces:
                halfulp.record(given.side(path.stem), given.inputs, path, level="tensors", keywords=given.options.get("keywords"))
        script = halfulp.repro(traces[0], traces[1], output, declared=declared, run=run, progress=progress)
    did = "it was run, and issue.md has its output" if run else f"read it, then run it with python {script}"
    say(f"{script}: {did}; issue.md is ready to be pasted")
