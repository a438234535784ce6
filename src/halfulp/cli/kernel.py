"""halfulp kernel PROBLEM SOLUTION..."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, Json, show, writable


def kernel(
    problem: Annotated[
        Path,
        typer.Argument(
            help="The problem: a KernelBench or TritonBench file, a GPU MODE or BackendBench folder, a case file with `expected` and `inputs`, "
            "or FILE.py:name."
        ),
    ],
    solutions: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="SOLUTION...",
            help="Python files, FILE.py:name, or folders of files.",
            show_default="the other files in the problem's folder",
        ),
    ] = None,
    declared: Annotated[
        Optional[str], typer.Option(help="The precision that solutions may use.", show_default="that of the inputs")
    ] = None,
    budget: Annotated[float, typer.Option(min=1.0, help="Seconds to spend on each solution.")] = 26.0,
    seed: Annotated[int, typer.Option(help="Seed of the inputs.")] = 0,
    processes: Annotated[
        Optional[int], typer.Option(min=1, help="How many to judge at a time.", show_default="one for each processor")
    ] = None,
    resume: Annotated[
        Optional[Path], typer.Option(help="Keep results in this file as they come, and resume from it after an interruption.")
    ] = None,
    junit: Annotated[Optional[Path], typer.Option(callback=writable, help="Write JUnit XML to this file.")] = None,
    as_json: Json = None,
    html: Html = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the answer, without the list of tests.")] = False,
) -> None:
    """Is a generated kernel right, or merely close? Each solution runs in a separate process (on Linux without network); cheats are named."""
    from halfulp.kernels import judge_all

    from .progress import steps_on_stderr

    with steps_on_stderr(quiet) as progress:
        found = judge_all(
            problem, _files(problem, solutions or []), declared=declared, budget_s=budget, seed=seed, processes=processes, resume=resume, progress=progress
        )  # fmt: skip
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    if junit is not None:
        from halfulp.files import write_file
        from halfulp.reports import formats

        write_file(junit, formats.junit(found))
    raise typer.Exit(found.exit_code)


def _files(problem: Path, solutions: list[str]) -> list[str]:
    """The files that were named, and those of folders, without the problem's own; with none named, those beside the problem."""
    from halfulp.errors import InputError
    from halfulp.kernels.problems.formats import named

    own = _own(named(problem)[0])
    found: list[str] = []
    for word in solutions or ([str(problem)] if problem.is_dir() else [str(problem.parent)]):
        path = Path(word)
        found += [str(file) for file in sorted(path.glob("*.py")) if file.resolve() not in own] if path.is_dir() else [word]
    if not found:
        raise InputError("Got no solutions. Needed: at least one Python file. A folder stands for the Python files in it. Check the path.")
    return found


def _own(problem: Path) -> set[Path]:
    """The files of a problem, which are no solutions."""
    folder = problem if problem.is_dir() else problem.parent
    return {problem.resolve(), *((folder / name).resolve() for name in ("problem.py", "reference.py", "task.py", "utils.py", "eval.py"))}
