"""halfulp compare A B [--reference C]"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from .output import Html, Json, show


def compare(
    actual: Annotated[Path, typer.Argument(help="Tensors under test: .npy, .npz, .safetensors or .pt (weights only).")],
    expected: Annotated[Path, typer.Argument(help="What they are compared with.")],
    reference: Annotated[Optional[Path], typer.Option(help="A result in higher precision, with the same structure.")] = None,
    scale: Annotated[
        Optional[Path],
        typer.Option(help="Magnitudes to measure the errors against, such as |A||B|.", show_default="root mean square of the reference"),
    ] = None,
    declared: Annotated[
        Optional[str], typer.Option(help="The precision whose unit roundoff, u, is the unit of the errors.", show_default="that of ACTUAL")
    ] = None,
    max_inflated: Annotated[
        Optional[int],
        typer.Option(
            min=1,
            metavar="MIB",
            help="The most that an archive (.npz, .pt) may inflate to, in MiB.",
            show_default="256, or 20 times its size if that is more",
        ),
    ] = None,
    rtol: Annotated[
        Optional[float],
        typer.Option(min=0.0, help="Exit with 0 if |actual - expected| <= atol + rtol |expected| everywhere, else with 1."),
    ] = None,
    atol: Annotated[Optional[float], typer.Option(min=0.0, help="See --rtol.")] = None,
    max_ulps: Annotated[
        Optional[int], typer.Option(min=0, help="Exit with 0 if no element differs by more than this many ulps, else with 1.")
    ] = None,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the numbers of each tensor.")] = False,
) -> None:
    """How far apart are two files of tensors? Numbers only: without the functions, they can't be judged.

    Exits with 0 when all bits agree, 1 when the structures or the places of NaNs differ, 3 when there are differences that numbers alone can't judge. With
    --rtol, --atol or --max-ulps it exits with 0 where every element is within them, else with 1. Formats may differ (float32 against float64).
    """
    import dataclasses

    from halfulp.differences import compare as compare_results
    from halfulp.differences.difference import ErrorInU
    from halfulp.differences.in_u import error_in_u
    from halfulp.differences.tolerated import Rule, tolerated
    from halfulp.sources.tensor_files import read_tensors

    from .progress import steps_on_stderr

    def read(path: Path) -> Any:
        return read_tensors(path, inflated_bytes=None if max_inflated is None else max_inflated << 20)

    errors: dict[str, tuple[ErrorInU, ...]] = {}
    with steps_on_stderr(quiet, f"comparing {actual.name} with {expected.name}") as progress:
        left, right = read(actual), read(expected)
        compared = compare_results(left, right)
        if reference is not None:
            progress(f"comparing both with {reference.name}")
            exact = read(reference)
            sizes = read(scale) if scale is not None else None
            errors = {
                name: error_in_u(side, exact, scale=sizes, declared=declared) for name, side in (("actual", left), ("expected", right))
            }
    rule = Rule(rtol, atol, max_ulps)
    kept = tolerated(compared, left, right, rule) if rule != Rule() else None
    result = dataclasses.replace(compared, error_in_u=errors, tolerated=kept)
    show(result, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(result.exit_code)
