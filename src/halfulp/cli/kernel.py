"""halfulp kernel PROBLEM SOLUTION..."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, Json, show


def kernel(
    problem: Annotated[
        Path,
        typer.Argument(help="The problem: a KernelBench file, a GPU MODE folder, or a case file with `expected` and `inputs`."),
    ],
    solutions: Annotated[list[Path], typer.Argument(metavar="SOLUTION...", help="Python files, or folders of them.")],
    declared: Annotated[
        Optional[str], typer.Option(help="The precision that solutions may use.", show_default="that of the inputs")
    ] = None,
    budget: Annotated[float, typer.Option(min=1.0, help="Seconds to spend on testing each solution.")] = 30.0,
    seed: Annotated[int, typer.Option(help="Seed of the inputs.")] = 0,
    processes: Annotated[
        Optional[int], typer.Option(min=1, help="How many to judge at a time.", show_default="one for each processor")
    ] = None,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the list of tests.")] = False,
) -> None:
    """Is a generated kernel right, or merely close? Each solution runs in a process of its own, without network; cheats are named."""
    from halfulp.kernels import judge_all

    from .progress import steps_on_stderr

    with steps_on_stderr(quiet) as progress:
        found = judge_all(
            problem, _files(problem, solutions), declared=declared, budget_s=budget, seed=seed, processes=processes, progress=progress
        )  # fmt: skip
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    raise typer.Exit(found.exit_code)


def _files(problem: Path, solutions: list[Path]) -> list[Path]:
    """The files that were named, and those of folders, without the problem's own."""
    from halfulp.errors import InputError

    found: list[Path] = []
    for path in solutions:
        inside = sorted(path.glob("*.py")) if path.is_dir() else [path]
        found += [file for file in inside if not path.is_dir() or file.resolve() not in _own(problem)]
    if not found:
        raise InputError("Got no solutions. Needed: at least one Python file. A folder stands for the Python files in it. Check the path.")
    return found


def _own(problem: Path) -> set[Path]:
    """The files of a problem, which are no solutions."""
    folder = problem if problem.is_dir() else problem.parent
    return {problem.resolve(), *((folder / name).resolve() for name in ("problem.py", "reference.py", "task.py", "utils.py", "eval.py"))}
