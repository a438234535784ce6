"""halfulp demo"""

from __future__ import annotations

import time
from typing import Annotated

import typer


def demo(
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Print the evidence too, and run what takes minutes: the sizes and repetition counts of the original posts, the stages of compilation, and the causes.",
        ),
    ] = False,
) -> None:
    """Answer the five questions that started halfulp, on this machine."""
    import textwrap

    import halfulp
    from halfulp.cases import load_case_file
    from halfulp.places import folder

    from .progress import steps_on_stderr

    unexpected = 0
    for file in sorted(folder("examples").glob("question_*.py")):
        start = time.perf_counter()
        names = load_case_file(file, 0)["names"]
        typer.echo(f"\n{names['TITLE']}")
        typer.echo(textwrap.indent(textwrap.fill(names["QUESTION"], 110), "  "))
        for part in names["parts"](full):
            if isinstance(part, str):
                typer.echo("\n" + textwrap.indent(textwrap.fill(part, 110), "  "))
                continue
            title, verdicts = part.pop("title"), part.pop("verdicts")
            typer.echo(f"\n  {title}")
            with steps_on_stderr(False) as progress:
                result = halfulp.check(progress=progress, **part)
            text = halfulp.report(result, form="full" if full else "answer")
            typer.echo(textwrap.indent(text if full else _folded(text), "    "))
            if result.verdict.name not in verdicts:
                unexpected += 1
                typer.echo(f"    (This differs from what was found when the example was written: {' or '.join(verdicts)}.)")
        for line in names["figures"](full):
            typer.echo("\n" + textwrap.indent(textwrap.fill(line, 110), "  "))
        typer.echo(f"  [{time.perf_counter() - start:.1f} s; the code: {file.name}]")
    raise typer.Exit(1 if unexpected else 0)


def _folded(text: str) -> str:
    import textwrap

    return "\n".join(textwrap.fill(line, 110) for line in text.splitlines())
