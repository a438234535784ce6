"""halfulp growth ACTUAL [EXPECTED]"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from .operands import Actual, BackendsOption, Expected, InputsOption, taken
from .output import Html, Json, is_printed, show

if TYPE_CHECKING:
    from ..sweeps import Growth


def growth(
    actual: Actual,
    expected: Expected = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    sizes: Annotated[
        Optional[str],
        typer.Option(
            help="The sizes, separated by commas.", show_default="eight sizes around the default of `size`, each twice the one before"
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds of `inputs` to run at each size.")] = 1,
    declared: Annotated[
        Optional[str], typer.Option(help="The precision that the code under test may compute in.", show_default="that of the inputs")
    ] = None,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the evidence.")] = False,
) -> None:
    """How does the error grow with the size: as rounding does, or faster? The inputs have to depend on a size: inputs(seed, size=...), or `size` in -i."""
    from halfulp.errors import InputError

    from .progress import steps_on_stderr

    try:
        chosen = None if sizes is None else [int(name) for name in sizes.split(",")]
        if chosen is not None and min(chosen) < 1:
            raise ValueError
    except ValueError:
        raise InputError(
            f"Got --sizes {sizes}. Needed: whole numbers above 0, separated by commas. They are passed to `inputs`. For example: 64,256,1024."
        ) from None
    with steps_on_stderr(quiet) as progress:
        words = actual, expected, inputs, backends
        found = grown(words, chosen, range(seeds), declared, progress, quiet=quiet or is_printed(as_json))
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code if found.complete else 130)


def grown(
    words: tuple[str, str | None, str | None, str | None],
    sizes: list[int] | None,
    seeds: range | tuple[int, ...],
    declared: str | None,
    progress: Callable[[str], None],
    *,
    quiet: bool = False,
) -> Growth:
    """The growth of what was given (`taken`: actual, expected, inputs, backends)."""
    import dataclasses

    import halfulp

    asked = "`growth` runs both sides on inputs of many sizes"
    given = taken(*words, size=sizes[0] if sizes else None, asked=asked, quiet=quiet)
    options = {key: given.options[key] for key in ("reference", "keywords") if key in given.options}
    found = halfulp.growth(
        given.actual, given.expected, given.draw, sizes, seeds=seeds, declared=declared or given.options.get("declared"),
        progress=progress, **options,
    )  # fmt: skip
    return dataclasses.replace(found, case_file=given.source)
