"""halfulp locate A.trace B.trace"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, show


def locate(
    actual: Annotated[
        Path,
        typer.Argument(help="The trace of the implementation under test; or a case file with `actual`, `expected` and `inputs(seed)`."),
    ],
    expected: Annotated[Optional[Path], typer.Argument(help="The trace of what it should agree with.")] = None,
    declared: Annotated[
        Optional[str], typer.Option(help="Precision that actual is entitled to.", show_default="that of each result in expected")
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Of a case file: also walk the backward pass.")] = False,
    rename: Annotated[
        Optional[list[str]], typer.Option(help="Module of expected=module of actual, with * for any part. Repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of a case file: passed to `inputs`.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole walk as JSON.")] = False,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
) -> None:
    """Where does it start? The first module and op that adds more than rounding, apart from what it inherited."""
    import dataclasses

    import halfulp
    from halfulp.errors import InputError

    from .progress import steps_on_stderr

    pairs = [name.partition("=") for name in rename or ()]
    if any(not mark for _, mark, _ in pairs):
        raise InputError(
            "Got --rename without '='. Needed: MODULE_OF_EXPECTED=MODULE_OF_ACTUAL. For example --rename 'encoder.layer.*=blocks.*'."
        )
    names = {left: right for left, _, right in pairs}
    with steps_on_stderr(quiet or as_json) as progress:
        if expected is None:
            if actual.is_dir():
                raise InputError(
                    f"Got one trace, {actual}. Needed: two, or a case file. A trace is compared with another. Add the one that it should agree with."
                )
            from halfulp.cases import load_case_file

            loaded = load_case_file(actual, seed)
            origin = halfulp.locate(
                loaded["actual"], loaded["expected"], loaded["inputs"], declared=declared or loaded.get("declared"), rename=names,
                gradients=gradients or bool(loaded.get("gradients")), keywords=loaded.get("keywords"), seed=seed, progress=progress,
            )  # fmt: skip
            origin = dataclasses.replace(origin, case_file=loaded["source"])
        else:
            origin = halfulp.locate(actual, expected, declared=declared, rename=names, progress=progress)
    show(origin, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(origin.exit_code)
