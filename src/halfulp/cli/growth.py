"""halfulp growth FILE.py"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from .output import Html, show

if TYPE_CHECKING:
    from ..sweeps import Growth


def growth(
    file: Annotated[Path, typer.Argument(help="A Python file with `actual`, `expected` and `inputs(seed, size=...)`.")],
    sizes: Annotated[
        Optional[str], typer.Option(help="With commas between.", show_default="eight powers of two around the default of `size`")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds of `inputs` to run at each size.")] = 1,
    declared: Annotated[
        Optional[str], typer.Option(help="Precision that actual is entitled to.", show_default="that of the inputs")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer.")] = False,
) -> None:
    """How does the error grow with the size: as rounding does, or faster?"""
    from halfulp.errors import InputError

    from .progress import steps_on_stderr

    try:
        chosen = None if sizes is None else [int(name) for name in sizes.split(",")]
        if chosen is not None and min(chosen) < 1:
            raise ValueError
    except ValueError:
        raise InputError(
            f"Got --sizes {sizes}. Needed: whole numbers above 0 with commas between. They are passed to `inputs`. For example 64,256,1024."
        ) from None
    with steps_on_stderr(quiet or as_json) as progress:
        found = grown(file, chosen, range(seeds), declared, progress)
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code if found.complete else 130)


def grown(
    file: Path, sizes: list[int] | None, seeds: range | tuple[int, ...], declared: str | None, progress: Callable[[str], None]
) -> Growth:
    """The growth of a case file."""
    import dataclasses

    import halfulp
    from halfulp.cases import load_case_file

    loaded = load_case_file(file, 0, size=sizes[0] if sizes else None)
    options = {key: loaded[key] for key in ("reference", "keywords") if key in loaded}
    found = halfulp.growth(
        loaded["actual"], loaded["expected"], loaded["names"]["inputs"], sizes, seeds=seeds, declared=declared or loaded.get("declared"),
        progress=progress, **options,
    )  # fmt: skip
    return dataclasses.replace(found, case_file=loaded["source"])
