"""How every command shows its result: as text, as JSON, as a page beside either; and ends with its exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

COLORS = {0: typer.colors.GREEN, 1: typer.colors.RED, 3: typer.colors.YELLOW}
"""Of the verdict on a terminal, by exit code; NO_COLOR turns it off."""


def writable(path: Optional[Path]) -> Optional[Path]:
    """A file that is to be written, looked at before the work begins.

    Raises:
        InputError: it can't be.
    """
    from halfulp.errors import InputError

    if path is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        problem = (
            "is a folder"
            if path.is_dir()
            else ""
            if os.access(path if path.exists() else path.parent, os.W_OK)
            else "can't be written (permission denied)"
        )
    except OSError as error:
        problem = f"can't be written ({error.strerror})"
    if problem:
        raise InputError(
            f"Got {path}, which {problem}. Needed: a file in a folder that can be written to. Nothing was run. Choose another path."
        )
    return path


def page_file(path: Optional[Path]) -> Optional[Path]:
    """The same for a page, which needs packages too."""
    if path is not None:
        from halfulp.reports.renderer import lacking

        try:
            import halfulp.reports.pages  # noqa: F401  # pyright: ignore[reportUnusedImport]
        except ModuleNotFoundError as error:
            raise lacking(error) from error
    return writable(path)


Html = Annotated[
    Optional[Path],
    typer.Option(
        "--html", callback=page_file, help="Also write the result as one self-contained page to this file (needs the extra `report`)."
    ),
]


def json_file(path: Optional[str]) -> Optional[str]:
    """The same for --json, where "-" stands for printing."""
    from .commands import PRINTED

    if path is not None and path != PRINTED:
        writable(Path(path))
    return path


Json = Annotated[
    Optional[str],
    typer.Option("--json", metavar="[FILE.json]", callback=json_file, help="Print everything as JSON, or write it to this file."),
]


def is_printed(as_json: Optional[str]) -> bool:
    """Whether JSON takes the place of text on standard output."""
    from .commands import PRINTED

    return as_json == PRINTED


def say_json(text: str, as_json: Optional[str]) -> bool:
    """Print JSON or write it to its file, where it is wanted.

    Returns:
        Whether it took the place of the text.
    """
    if as_json is None:
        return False
    if is_printed(as_json):
        typer.echo(text)
        return True
    from halfulp.files import write_file

    write_file(Path(as_json), text + "\n")
    return False


def say(text: object = "", *, err: bool = False) -> None:
    """Print lines. What a terminal or a CI log would act on is shown as escapes: names come from files and from programs under test."""
    from halfulp.words.visible import visible

    typer.echo(visible(str(text), lines=True), err=err)


def show(result: Any, *, as_json: Optional[str] = None, html: Optional[Path] = None, form: str = "full") -> None:
    """Print a result; write its page where one is wanted."""
    import halfulp

    if not say_json(result.to_json() if as_json is not None else "", as_json):
        head, newline, rest = halfulp.report(result, form=form).partition("\n")
        starts_with_verdict = _is_verdict(head.partition(":")[0])
        color = COLORS.get(result.exit_code) if starts_with_verdict else None
        plain = color is None or bool(os.environ.get("NO_COLOR"))
        typer.secho(head, fg=color, bold=not plain, color=False if plain else None)  # without a terminal it is plain too
        if newline:
            typer.echo(rest)
    if html is not None:
        save(result, html)


def _is_verdict(word: str) -> bool:
    if not word.isupper():
        return False
    from halfulp.verdicts.verdict import Verdict

    return word in Verdict.__members__


def save(result: Any, html: Path) -> None:
    """Write a result's page, and say where."""
    from halfulp.reports.pages import save_page

    say(f"Wrote {save_page(result, html)}", err=True)
