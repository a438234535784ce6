"""halfulp audit FILE.py"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import Html, show


def audit(
    file: Annotated[Path, typer.Argument(help="A Python file with `actual`, `expected` and `inputs(seed)`.")],
    side: Annotated[str, typer.Option(help="Which function: actual or expected.")] = "actual",
    seed: Annotated[int, typer.Option(help="Passed to `inputs`.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    html: Html = None,
) -> None:
    """Which ops promote, downcast, follow autocast or a default dtype, and on which line? Exits with 0."""
    import halfulp
    from halfulp.cases import load_case_file
    from halfulp.errors import InputError

    if side not in ("actual", "expected"):
        raise InputError(f"Got --side {side}. Needed: actual or expected. A case file has no other function. Leave it out for actual.")
    loaded = load_case_file(file, seed)
    found = halfulp.audit(loaded[side], loaded["inputs"], keywords=loaded.get("keywords"))
    show(found, as_json=as_json, html=html)
