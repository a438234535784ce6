"""halfulp plot PICTURE RESULT.json -o picture.svg"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .operands import BackendsOption, Expected, InputsOption, options_of, taken
from .output import say, writable


def plot(
    name: Annotated[str, typer.Argument(metavar="PICTURE", help="The picture to draw; --list prints them all.")] = "",
    result: Annotated[
        Optional[str],
        typer.Argument(
            help="A result as JSON; or, for the pictures of `growth`, `tolerance` and `check`, something to run: a case file, FILE.py:name, an expression ... Other pictures need the JSON of their command."
        ),
    ] = None,
    expected: Expected = None,
    inputs: InputsOption = None,
    backends: BackendsOption = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            callback=writable,
            help="The file to write; its extension sets the format: .svg, .png, .pdf, .json (Vega-Lite).",
        ),
    ] = Path("picture.svg"),
    path: Annotated[
        str, typer.Option(help="The path of the output or function to draw, where there are several.", show_default="the worst or first")
    ] = "",
    list_pictures: Annotated[bool, typer.Option("--list", help="List all pictures, and which results have them.")] = False,
) -> None:
    """Draw one picture of a result, for a paper, a slide or an issue. Exits with 0."""
    import halfulp
    from halfulp.errors import InputError
    from halfulp.reports.renderer import lacking

    try:
        from halfulp.reports.charts import PICTURES, drawn_as, picture, picture_file, save_picture
    except ModuleNotFoundError as error:
        raise lacking(error) from error
    if list_pictures:
        for word, drawn in PICTURES.items():
            say(f"{word:<10} {drawn.shows} ({', '.join(kind.__name__ for kind in drawn.of)})")
        return
    if not name or result is None:
        raise InputError(
            "Got no picture or no result. Needed: halfulp plot PICTURE RESULT.json -o FILE.svg. One result has several pictures. See halfulp plot --list."
        )
    drawn_as(name)  # what is wrong with the names is said before anything is run
    picture_file(output)
    is_stored = Path(result).suffix == ".json" and expected is None
    found = halfulp.read_result(Path(result)) if is_stored else _measured(name, (result, expected, inputs, backends))
    say(f"{save_picture(picture(name, found, path), output)}: {PICTURES[name].shows}", err=True)


def _measured(name: str, words: tuple[str, Optional[str], Optional[str], Optional[str]]) -> object:
    """What running it gives (`taken`: actual, expected, inputs, backends)."""
    import halfulp

    from .growth import grown
    from .progress import steps_on_stderr

    with steps_on_stderr(False) as progress:
        if name == "growth":
            return grown(words, None, (0,), None, progress)
        given = taken(*words, one_side=name == "tolerance")
        if name == "tolerance":
            return halfulp.tolerance(given.expected, given.draw, given.options.get("declared"), keywords=given.options.get("keywords"))
        return halfulp.check(given.actual, given.expected, given.inputs, closeups=True, progress=progress, **options_of(given))
