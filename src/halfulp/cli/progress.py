"""What is being done, on standard error, for work that takes longer than two seconds: the step, a bar and the time left where it is counted."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Generator

PATIENCE_S = 2.0


@contextlib.contextmanager
def steps_on_stderr(silent: bool) -> Generator[Callable[[str], None]]:
    """A function that is told the step at hand; on a terminal it is shown, and only after two seconds.

    One that is counted (`Stage`) becomes a bar with the time left, unless the words say that themselves.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from halfulp.words.stage import Stage
    from halfulp.words.visible import visible

    console = Console(stderr=True)
    if silent or not sys.stderr.isatty():  # rich would also count a file as a terminal where FORCE_COLOR is set
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    task = bar.add_task("", total=None, left="")
    begin = time.monotonic()
    stage: str | int = ""
    first, last, since = 0, 0, begin

    def show(step: str) -> None:
        nonlocal stage, first, last, since
        now = time.monotonic()
        done, total = (step.done, step.total) if isinstance(step, Stage) else (None, None)
        done, total, step = done or 0, total or 0, visible(step)
        label = total or step
        if label != stage or done < last:
            stage, first, since = label, done, now
        last = done
        if now - begin < PATIENCE_S:
            return
        left = ""
        if total and done > first and not step.endswith("left"):
            left = f"{(now - since) * (total - done) / (done - first):.0f} s left"
        bar.update(task, description=step, completed=done, total=total or None, left=left)
        bar.start()

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
