"""halfulp order ACTUAL [EXPECTED]"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..words.numbers import counted
from .operands import Actual, Expected, InputsOption, taken
from .output import Html, Json, is_printed, save, say, show

if TYPE_CHECKING:
    from ..sources.given import Given


def order(
    actual: Actual,
    expected: Expected = None,
    inputs: InputsOption = None,
    side: Annotated[str, typer.Option(help="Which function: actual, expected or both.")] = "both",
    emit: Annotated[
        Optional[Path],
        typer.Option(help="Write a stand-alone NumPy program for each function into this folder, and run it to compare bits."),
    ] = None,
    draw: Annotated[bool, typer.Option("--draw", help="Draw the order as text.")] = False,
    svg: Annotated[
        Optional[Path],
        typer.Option(help="Draw the order of each function as an SVG file in this folder."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for `inputs` and all random numbers.")] = 0,
    as_json: Json = None,
    html: Html = None,
) -> None:
    """In which order do the functions add? Revealed at the inputs' shapes, and proved by replaying it. Exits with 0 where both have an order."""
    import halfulp
    from halfulp.errors import HalfulpError, InputError
    from halfulp.files import write_file
    from halfulp.reports.text.orders import orders_text
    from halfulp.words.stage import Stage

    from .progress import steps_on_stderr

    if side not in ("actual", "expected", "both"):
        raise InputError(f"Got --side {side}. Needed: actual, expected or both. A case file has no other function. Leave it out for both.")
    asked = "`order` runs functions on chosen numbers to reveal the order in which they add"
    given = taken(actual, expected, inputs, seed=seed, one_side=True, asked=asked, quiet=is_printed(as_json))
    sides = ("actual", "expected") if side == "both" else (side,)
    if given.actual is given.expected:
        sides = sides[:1]
    found: dict[str, Any] = {}
    problems: dict[str, str] = {}
    with steps_on_stderr(False) as report_step:
        for name in sides:

            def progress(step: str, done: float, name: str = name) -> None:
                report_step(Stage(f"{name}: {step}, {done:.0%}", round(100 * done), 100))

            try:
                found[name] = halfulp.order(
                    given.side(name),
                    given.inputs,
                    keywords=given.options.get("keywords"),
                    seed=seed,
                    everywhere=emit is not None,
                    progress=progress,
                )
            except HalfulpError as error:
                problems[name] = str(error)
    stored = _stored(found, problems)
    if draw and as_json is None:
        say(orders_text(stored, draw=True))
    else:
        show(stored, as_json=as_json)
    if html is not None:
        save(stored, html)
    for name, item in found.items():
        if emit is not None:
            say(_emitted(name, item, given, emit, seed), err=is_printed(as_json))
        if svg is not None and item.classes[0].order is not None:
            write_file(svg / f"{name}.svg", item.order.draw("svg"))
            say(f"{svg / f'{name}.svg'}: the order of {name}", err=is_printed(as_json))
    raise typer.Exit(stored.exit_code)


def _stored(found: dict[str, Any], problems: dict[str, str]) -> Any:
    from halfulp.probes.stored import StoredOrders

    difference, one_family = "", False
    if len(found) == 2 and all(item.classes[0].order is not None for item in found.values()):
        difference = found["actual"].diff(found["expected"])
        one_family = found["actual"].is_one_family_with(found["expected"])
    return StoredOrders({name: item.stored() for name, item in found.items()}, problems, difference, one_family)


def _emitted(name: str, found: Any, given: Given, folder: Path, seed: int) -> str:
    """Writes the program of one side, runs it in a fresh Python and says how many bits agree."""
    import subprocess
    import sys
    import tempfile

    import numpy as np

    from halfulp.errors import InputError
    from halfulp.files import write_file
    from halfulp.probes.implementation import Implementation

    implementation = Implementation(given.side(name), given.inputs, given.options.get("keywords"))
    names = _names(given.side(name), implementation)
    try:
        program = found.emit(names, f"{name} of {Path(given.label).name if given.label.endswith('.py') else given.label}")
    except InputError as error:
        return f"{name}: no program. {error}"
    path = folder / f"replay_{name}.py"
    write_file(path, program)
    used = sorted({item.argument for item in (*found.contraction.factors, *found.contraction.extras)})
    with tempfile.TemporaryDirectory() as scratch:
        files = [str(Path(scratch) / f"{place}.npy") for place in used]
        for place, file in zip(used, files):
            np.save(file, implementation.arguments[place].values)
        result = Path(scratch) / "result.npy"
        ran = subprocess.run([sys.executable, str(path.resolve()), *files, str(result)], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(f"the program {path} failed: {ran.stderr[-2000:]}")
        replayed = np.load(result).astype(np.float64)
    wanted = implementation.run([argument.values for argument in implementation.arguments]).astype(np.float64)
    equal = int((replayed == wanted).sum())
    words = "in every bit" if equal == wanted.size else "only in part"
    return f"{path}: {len(program.splitlines())} lines of NumPy; run on inputs({seed}), it gives {name}'s result {words} ({equal:,} of {counted(wanted.size, 'element')})."


def _names(function: Any, implementation: Any) -> list[str]:
    import inspect
    import keyword

    from halfulp.probes.revealed import TAKEN

    try:
        parameters = inspect.signature(function).parameters.values()
        given = [
            parameter.name for parameter in parameters if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        given = []
    names: list[str] = []
    for place, argument in enumerate(implementation.arguments):
        number = int(argument.name.split()[1]) if argument.name.startswith("input ") else -1
        own = given[number] if 0 <= number < len(given) else argument.name.replace(".", "_").replace(" ", "_")
        taken = not own.isidentifier() or keyword.iskeyword(own) or own in (*names, *TAKEN)
        names.append(f"x{place}" if taken else own)
    return names
