"""halfulp audit ACTUAL"""

from __future__ import annotations

from typing import Annotated

import typer

from .operands import Actual, InputsOption, taken
from .output import Html, Json, is_printed, show


def audit(
    actual: Actual,
    inputs: InputsOption = None,
    side: Annotated[str, typer.Option(help="Which function: actual or expected.")] = "actual",
    seed: Annotated[int, typer.Option(help="Passed to `inputs`.")] = 0,
    as_json: Json = None,
    html: Html = None,
) -> None:
    """Which ops promote, downcast, follow autocast or a default dtype, and on which line? Exits with 0."""
    import halfulp
    from halfulp.errors import InputError

    from .progress import steps_on_stderr

    if side not in ("actual", "expected"):
        raise InputError(f"Got --side {side}. Needed: actual or expected. A case file has no other function. The default is actual.")
    given = taken(actual, None, inputs, seed=seed, one_side=True, asked="`audit` watches the ops of a run", quiet=is_printed(as_json))
    with steps_on_stderr(False, f"watching the ops of `{side}`"):
        found = halfulp.audit(given.side(side), given.inputs, keywords=given.options.get("keywords"))
    show(found, as_json=as_json, html=html)
