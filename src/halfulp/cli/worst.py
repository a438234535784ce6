"""halfulp worst ACTUAL [EXPECTED]"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from .operands import Actual, BackendsOption, Expected, InputsOption, in_words, options_of, taken
from .output import Html, Json, is_printed, say, show, writable

if TYPE_CHECKING:
    from ..sweeps import Worst


def tensor_file(path: Optional[Path]) -> Optional[Path]:
    """A file of tensors that is to be written, looked at before the work begins.

    Raises:
        InputError: it can't be, or is of another kind.
    """
    from halfulp.errors import InputError

    if path is not None and path.suffix != ".safetensors":
        raise InputError(
            f"Got --keep {path}. Needed: a file that ends with .safetensors, the format that the inputs are kept in. Rename it."
        )
    return writable(path)


def worst(
    actual: Actual,
    expected: Expected = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long the search may take.")] = 60.0,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first inputs beyond the limit of a correct implementation.")] = False,
    keep: Annotated[
        Optional[Path],
        typer.Option(
            "--keep",
            metavar="FILE.safetensors",
            callback=tensor_file,
            help="Write the inputs to this file; halfulp check -i FILE runs on them again.",
        ),
    ] = None,
    declared: Annotated[
        Optional[str], typer.Option(help="The precision that the code under test may compute in.", show_default="that of the inputs")
    ] = None,
    gradients: Annotated[bool, typer.Option("--gradients", help="Search for the worst gradients too.")] = False,
    seed: Annotated[int, typer.Option(help="Seed for `inputs` and for all that the search draws.")] = 0,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the inputs and the evidence.")] = False,
) -> None:
    """On which inputs is the error worst? Searches values, layouts and sizes; errors count in units of what rounding does on the same inputs."""
    import dataclasses

    import halfulp

    from .progress import steps_on_stderr

    found = taken(
        actual,
        expected,
        inputs,
        backends,
        seed=seed,
        asked="`worst` runs both sides on inputs of its own",
        quiet=quiet or is_printed(as_json),
    )
    options = options_of(found, declared, gradients=gradients)
    with steps_on_stderr(quiet) as progress:
        result = halfulp.worst(
            found.actual, found.expected, found.inputs, seconds=seconds, first=first, seed=seed, progress=progress, **options
        )
    result = dataclasses.replace(result, case_file=found.source, operands=in_words(actual, expected, inputs, backends))
    if keep is not None:
        _kept(result, keep)
    show(result, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(result.exit_code if result.complete else 130)


def _kept(result: Worst, path: Path) -> None:
    """Write the inputs, and say what could not be written; the result is shown all the same."""
    from halfulp.errors import InputError
    from halfulp.sweeps.kept_inputs import write_inputs

    kept: list[tuple[str, Any]] = []
    for argument in result.arguments:
        try:
            kept.append((argument.name, argument.value))
        except InputError as error:
            say(f"{path} lacks {argument.name}. {error}", err=True)
    try:
        write_inputs(path, kept)
    except InputError as error:
        say(f"{path} was not written. {error}", err=True)
    else:
        say(f"Wrote {path}", err=True)
