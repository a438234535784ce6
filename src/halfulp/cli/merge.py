"""halfulp merge run.trace -o whole.trace"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..words.numbers import counted
from .output import say


def merge(
    folder: Annotated[Path, typer.Argument(help="The folder that holds rank-00000, rank-00001 and so on.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The trace to write; must not exist.")],
) -> None:
    """Put the ranks of a distributed run together into one trace, as a run of a single process would have written it."""
    from halfulp.traces import merge_ranks

    from .progress import steps_on_stderr

    with steps_on_stderr(False, f"merging the ranks in {folder.name}"):
        merged = merge_ranks(folder, output)
    say(f"{merged.path}: {counted(len(merged.values), 'value')} of {counted(len(merged.ops), 'op')}")
    for note in merged.notes:
        say(f"  {note}")
