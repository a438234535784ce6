"""halfulp ci FILES --baseline FILE"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, Json, is_printed, show, writable


def ci(
    files: Annotated[list[Path], typer.Argument(help="Case files, results as JSON, or folders of case files.")],
    baseline: Annotated[
        Optional[Path],
        typer.Option(
            help="A file in your repository with the known verdicts. The run fails where one got worse, a case did not run, or a new case is not acceptable.",
            show_default="each verdict is judged by itself",
        ),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Accept the verdicts found: write them to the baseline, and keep its other entries.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="With --update, drop from the baseline the cases that were not run.")] = False,
    keep: Annotated[
        Optional[Path], typer.Option(help="Keep each result as JSON in this folder, and resume from it after an interruption.")
    ] = None,
    junit: Annotated[Optional[Path], typer.Option(callback=writable, help="Write JUnit XML to this file.")] = None,
    sarif: Annotated[Optional[Path], typer.Option(callback=writable, help="Write SARIF 2.1.0 to this file.")] = None,
    markdown: Annotated[Optional[Path], typer.Option(callback=writable, help="Write a summary for a pull request to this file.")] = None,
    github: Annotated[
        Optional[bool],
        typer.Option("--github/--no-github", help="Print annotations for GitHub.", show_default="where GITHUB_ACTIONS is set"),
    ] = None,
    as_json: Json = None,
    html: Html = None,
    seed: Annotated[int, typer.Option(help="Passed to `inputs`.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the summary.")] = False,
) -> None:
    """Did a verdict get worse? Checks many cases against a baseline; made for CI.

    Exits with 0 where nothing got worse, 1 where a verdict did or a case did not run, 3 where one is newly undecided.
    """
    import dataclasses

    import halfulp
    from halfulp.errors import InputError
    from halfulp.files import write_file
    from halfulp.reports import formats
    from halfulp.sweeps.case_watch import watched

    from .progress import steps_on_stderr

    if update and baseline is None:
        raise InputError("Got --update without --baseline. Needed: the file to write. Add --baseline FILE.")
    with steps_on_stderr(quiet) as progress:
        found = watched(files, baseline, keep=keep, seed=seed, progress=progress)
    if update and baseline is not None and found.complete:
        before = None if prune or not baseline.exists() else halfulp.read_result(baseline)
        found = dataclasses.replace(
            found, cases=tuple(dataclasses.replace(case, accepted=case.verdict is not None) for case in found.cases)
        )
        write_file(baseline, found.baseline(before).to_json() + "\n")
    show(found, as_json=as_json, html=html, form="answer" if quiet else "full")
    for path, text in ((junit, formats.junit), (sarif, formats.sarif), (markdown, formats.markdown)):
        if path is not None:
            write_file(path, text(found))
    if github if github is not None else os.environ.get("GITHUB_ACTIONS") == "true":
        lines = formats.workflow_commands(found)
        if lines:
            typer.echo(lines, err=is_printed(as_json))
    raise typer.Exit(found.exit_code)
