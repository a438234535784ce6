"""halfulp record SCRIPT.py[:name] -o run.trace"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..words.numbers import counted
from .operands import InputsOption, taken
from .output import say


def record(
    script: Annotated[
        str,
        typer.Argument(
            help="A Python file to run; FILE.py:name for one function or module in it, run on its `inputs(seed)`; package.module:name; an expression; or an ONNX model."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write; must not exist.")],
    level: Annotated[
        str, typer.Option(help="hash, statistics or tensors. Only with tensors can halfulp tell how much error each op adds.")
    ] = "tensors",
    gradients: Annotated[bool, typer.Option("--gradients", help="With :name, also run the backward pass.")] = False,
    select: Annotated[
        Optional[list[str]],
        typer.Option(help="Keep all elements only for the modules or ops that match, e.g. 'layers.3*' or 'aten.addmm*'. Repeatable."),
    ] = None,
    sample: Annotated[Optional[int], typer.Option(help="Keep at most this many elements of each tensor.")] = None,
    budget: Annotated[Optional[int], typer.Option(help="Keep at most this many MB of elements.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for `inputs` and all random numbers.")] = 0,
    inputs: InputsOption = None,
    arguments: Annotated[Optional[list[str]], typer.Argument(help="Passed to the script, after --.")] = None,
) -> None:
    """Record what a program computes, op by op, to compare it with a recording made elsewhere (`halfulp locate`)."""
    import halfulp
    from halfulp.recording.programs import record_program, told

    from .progress import steps_on_stderr

    with steps_on_stderr(False) as progress:
        how: dict[str, Any] = {
            "level": level, "gradients": gradients, "select": tuple(select or ()), "sample": sample,
            "budget_bytes": None if budget is None else budget * 1_000_000, "progress": progress,
        }  # fmt: skip
        if inputs is None and (script.endswith(".py") or ".py:" in script):
            trace = record_program(script, output, seed=seed, arguments=tuple(arguments or ()), **how)
        else:
            found = taken(script, None, inputs, seed=seed, one_side=True, asked="`record` watches a run")
            with told(script, output):
                trace = halfulp.record(found.actual, found.inputs, output, keywords=found.options.get("keywords"), **how)
    modules = len({step.module for step in trace.ops})
    kept = sum(value.place.end - value.place.begin for value in trace.values if value.place is not None)
    say(
        f"{trace.path}: {counted(len(trace.ops), 'op')} in {counted(modules, 'module')}, {counted(len(trace.values), 'value')}, {kept / 1e6:,.1f} MB of elements"
    )
    for note in trace.notes:
        say(f"  note: {note}")
