"""halfulp locate ACTUAL [EXPECTED]"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .operands import BackendsOption, InputsOption, in_words, taken
from .output import Html, Json, is_printed, show


def locate(
    actual: Annotated[
        str,
        typer.Argument(
            metavar="ACTUAL",
            help="The trace of the implementation under test; or something to run: a case file with `actual`, `expected` and `inputs(seed)`, FILE.py:name, package.module:name, an expression.",
        ),
    ],
    expected: Annotated[
        Optional[str], typer.Argument(metavar="[EXPECTED]", help="What it should agree with: a trace if the first is a trace.")
    ] = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    declared: Annotated[
        Optional[str],
        typer.Option(help="The precision that the code under test may compute in.", show_default="that of each result in expected"),
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="For a case file: also walk the backward pass.")] = False,
    rename: Annotated[
        Optional[list[str]],
        typer.Option(
            help="Which module of expected corresponds to which module of actual: MODULE_OF_EXPECTED=MODULE_OF_ACTUAL, with * for any part. Repeatable."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="For a case file: the seed passed to `inputs`.")] = 0,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the evidence.")] = False,
) -> None:
    """Where does it start? The first module and op that adds more error than rounding does, not counting what it inherited."""
    import dataclasses

    import halfulp
    from halfulp.errors import InputError

    from .progress import steps_on_stderr

    pairs = [name.partition("=") for name in rename or ()]
    if any(not mark for _, mark, _ in pairs):
        raise InputError(
            "Got --rename without '='. Needed: MODULE_OF_EXPECTED=MODULE_OF_ACTUAL. For example: --rename 'encoder.layer.*=blocks.*'."
        )
    names = {left: right for left, _, right in pairs}
    with steps_on_stderr(quiet) as progress:
        traces = [word for word in (actual, expected) if word is not None and _is_trace(word)]
        if len(traces) == 2 or (traces and expected is not None and not _is_runnable(actual, expected)):
            origin = halfulp.locate(Path(actual), Path(str(expected)), declared=declared, rename=names, progress=progress)
        elif traces:
            raise InputError(
                f"Got one trace, {traces[0]}. Needed: two traces, or functions that can be run. A trace is compared with another, op by op. Record the other side too: "
                "halfulp record FILE.py:name -o here.trace."
            )
        else:
            asked = "`locate` records both sides op by op"
            found = taken(actual, expected, inputs, backends, seed=seed, asked=asked, quiet=quiet or is_printed(as_json))
            options = found.options
            origin = halfulp.locate(
                found.actual, found.expected, found.inputs, declared=declared or options.get("declared"), rename=names,
                gradients=gradients or bool(options.get("gradients")), keywords=options.get("keywords"), seed=seed, progress=progress,
            )  # fmt: skip
            origin = dataclasses.replace(origin, case_file=found.source, operands=in_words(actual, expected, inputs, backends))
    show(origin, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(origin.exit_code)


def _is_trace(word: str) -> bool:
    return len(word) < 4096 and (Path(word).is_dir() or Path(word + ".partial").is_dir() or word.endswith(".trace"))


def _is_runnable(*words: str) -> bool:
    """Whether one of them is a function."""
    from halfulp.sources.kinds import Kind, kind_of

    return any(kind_of(word) not in (Kind.TRACE, Kind.TENSORS) for word in words if not _is_trace(word))
