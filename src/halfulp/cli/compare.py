"""halfulp compare A B [--reference C]"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer


def compare(
    actual: Annotated[Path, typer.Argument(help="Tensors under test: .npy, .npz, .safetensors, .pt (weights only).")],
    expected: Annotated[Path, typer.Argument(help="What they are compared with.")],
    reference: Annotated[Optional[Path], typer.Option(help="A better-than-working-precision result, of the same structure.")] = None,
    scale: Annotated[
        Optional[Path],
        typer.Option(help="Magnitudes that the errors are measured by, such as |A||B|. [default: root mean square of the reference]"),
    ] = None,
    declared: Annotated[Optional[str], typer.Option(help="Precision whose u is the unit. [default: that of ACTUAL]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """How far are two files of tensors apart? Numbers only: without the functions nobody can judge.

    Exits with 0 when all bits agree, 1 when structures or places of NaN differ, 3 when there are differences that numbers alone can't judge.
    """
    import dataclasses
    import json

    from halfulp.differences import compare as compare_results
    from halfulp.differences.in_u import error_in_u
    from halfulp.reports import report
    from halfulp.verdicts.result import plain

    from .tensor_files import read_tensors

    left, right = read_tensors(actual), read_tensors(expected)
    compared = compare_results(left, right)
    errors: dict[str, Any] = {}
    if reference is not None:
        exact = read_tensors(reference)
        sizes = read_tensors(scale) if scale is not None else None
        errors = {name: error_in_u(side, exact, scale=sizes, declared=declared) for name, side in (("actual", left), ("expected", right))}
    structural = bool(compared.mismatches) or any(each.special_mismatches for each in compared)
    code = 1 if structural else (0 if compared.same_bits else 3)
    if as_json:
        content = {
            "schema": 1,
            **dataclasses.asdict(compared),
            "error_in_u": {name: [dataclasses.asdict(each) for each in found] for name, found in errors.items()},
        }
        typer.echo(json.dumps(plain(content), indent=1, allow_nan=False))
        raise typer.Exit(code)
    typer.echo(report(compared) or "nothing to compare")
    for name, found in errors.items():
        for each in found:
            typer.echo(
                f"{name}{' ' + each.path if each.path else ''} against the reference: {each.max_in_u:.3g} u at the worst element, {each.rms_in_u:.3g} u rms "
                f"(u = {each.unit_roundoff:.3g} of {each.declared}, scale: {each.scale})"
            )
    typer.echo(_CLOSING[code] + (_NEXT_REFERENCE if code == 3 and reference is None else ""))
    raise typer.Exit(code)


_CLOSING = {
    0: "Every bit agrees.",
    1: "The two differ in structure or in where NaN and infinity are: no rounding does that.",
    3: (
        "These are numbers, not a verdict: whether this is rounding depends on the function and its inputs, which files don't hold. "
        "Next: halfulp check FILE.py with both functions."
    ),
}
_NEXT_REFERENCE = " Or --reference with a float64 result, and --scale with |A||B|: then errors are given in u."
