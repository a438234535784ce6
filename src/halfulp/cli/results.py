"""halfulp results STORE [QUESTION]"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from .output import Html, Json, is_printed, say, say_json, show, writable


def results(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The folder that `halfulp sweep` wrote to.")],
    question: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[QUESTION]",
            help="A built-in question (runs, verdicts, flagged, new, worse, missing, ops, causes, flaky, faults, slow), or a query in SQL on the view `results`.",
        ),
    ] = None,
    plan: Annotated[str, typer.Option(help="Without a question: the plan to show.", show_default="that of the latest run")] = "",
    run: Annotated[str, typer.Option(help="Without a question: which run.", show_default="the latest")] = "",
    as_json: Json = None,
    html: Html = None,
    csv: Annotated[
        Optional[Path], typer.Option("--csv", metavar="FILE.csv", callback=writable, help="Write the answer to this file.")
    ] = None,
    dashboard: Annotated[
        Optional[Path],
        typer.Option(
            "--dashboard",
            metavar="FILE.json",
            callback=writable,
            help="Without a question: write the run in the format of PyTorch's benchmark database (version 3).",
        ),
    ] = None,
) -> None:
    """What did sweeps find? Without a question: the latest run. With one: a table, by a name or in SQL."""
    import halfulp
    from halfulp.errors import InputError
    from halfulp.files import write_file

    kept = halfulp.Store(store)
    if question is None:
        if csv is not None:
            raise InputError(
                "Got --csv without a question. Needed: a question, whose answer is a table. halfulp results STORE flagged --csv FILE.csv writes "
                "the flagged cases. Name one."
            )
        from halfulp.sweeps import swept_of

        found = swept_of(kept, plan, run)
        if dashboard is not None:
            from halfulp.reports.formats.benchmark_records import records_text

            write_file(dashboard, records_text(found))
            say(f"Wrote {dashboard}", err=True)
        show(found, as_json=as_json, html=html)
        _say_questions(is_printed(as_json))
        return
    of_a_run = {"--html": html is not None, "--dashboard": dashboard is not None, "--plan": bool(plan), "--run": bool(run)}
    if given := [name for name, is_given in of_a_run.items() if is_given]:
        raise InputError(
            f"Got a question beside {given[0]}. Needed: one or the other. {given[0]} is about a whole run, and a question gives a table. Leave the "
            "question out, or write the condition into it."
        )
    answer = kept.ask(question)
    if csv is not None:
        write_file(csv, answer.to_csv())
        say(f"Wrote {csv}", err=True)
    if not say_json(answer.to_json() if as_json is not None else "", as_json):
        say(halfulp.report(answer))


def _say_questions(err: bool) -> None:
    """The ready questions, for those who don't know them."""
    from halfulp.reports.text.tables import as_text, plain_table
    from halfulp.store import QUESTIONS

    table = plain_table("question", "what it asks")
    for each in QUESTIONS.values():
        table.add_row(each.name, each.words)
    say("\nhalfulp results STORE QUESTION:\n" + as_text(table), err=err)
