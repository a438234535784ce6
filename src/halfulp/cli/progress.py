"""What is being done, on standard error, for work that takes longer than two seconds.

On a terminal a bar with the step, and the time left where it is counted. Elsewhere (a log, CI, a pipe) a line after two seconds and every
20 seconds after, also while a single step takes long.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import TextIO

from halfulp.words.stage import Stage
from halfulp.words.visible import visible

PATIENCE_S = 2.0
EVERY_S = 20.0
"""Between two lines: a log of an hour has 180 of them."""


@contextlib.contextmanager
def steps_on_stderr(silent: bool, first: str = "working") -> Generator[Callable[[str], None]]:
    """A function that is told the step at hand. Standard output is never written to, so JSON stays JSON.

    Args:
        silent: whether nothing is to be shown (--quiet). first: what is being done before any step is told.
    """
    if silent or sys.stderr is None:
        yield lambda _: None
    elif sys.stderr.isatty():  # rich would also count a file as a terminal where FORCE_COLOR is set
        with _bar() as show:
            yield show
    else:
        with _lines(first) as show:
            yield show


class Pace:
    """How far the work is.

    Args:
        begin: when it began, by whatever clock the other times are.

    Attributes:
        words: the step at hand. done, total: its parts, where they are counted; else 0.
    """

    def __init__(self, begin: float, words: str = "") -> None:
        self.begin = begin
        self.words, self.done, self.total = words, 0, 0
        self._stage: str | int = ""
        self._first, self._since = 0, begin

    def tell(self, step: str, now: float) -> None:
        """The next step."""
        done, total = (step.done, step.total) if isinstance(step, Stage) else (None, None)
        done, self.total, self.words = done or 0, total or 0, visible(step)
        label = self.total or self.words
        if label != self._stage or done < self.done:
            self._stage, self._first, self._since = label, done, now
        self.done = done

    def left(self, now: float) -> str:
        """The time left in words; "" where it is not known, or the step says it itself."""
        if not self.total or self.done <= self._first or self.words.endswith("left"):
            return ""
        return f"{(now - self._since) * (self.total - self.done) / (self.done - self._first):.0f} s left"


class Lines:
    """Which line is due when.

    Args:
        begin: when the work began. first: what is being done before any step is told.
    """

    def __init__(self, begin: float, first: str) -> None:
        self._pace = Pace(begin, first)
        self._told: float = begin
        self.due = begin + PATIENCE_S

    def tell(self, step: str, now: float) -> None:
        """The next step."""
        self._pace.tell(step, now)
        self._told = now

    def line(self, now: float) -> str | None:
        """The line, where one is due."""
        if now < self.due:
            return None
        self.due = now + EVERY_S
        # The pace is that of the steps that were told: it doesn't get better while one of them takes long.
        left = self._pace.left(self._told)
        return f"halfulp: {self._pace.words} ({now - self._pace.begin:.0f} s so far{f', about {left}' if left else ''})"


@contextlib.contextmanager
def _lines(first: str) -> Generator[Callable[[str], None]]:
    lines, ended, changing = Lines(time.monotonic(), first), threading.Event(), threading.Lock()
    stream = sys.stderr  # the function under test may put another one in its place

    def write() -> None:
        while not ended.wait(min(max(0.0, lines.due - time.monotonic()), threading.TIMEOUT_MAX)):
            with changing:
                line = lines.line(time.monotonic())
            if line is not None and not ended.is_set():
                _write(line, stream)

    def show(step: str) -> None:
        with changing:
            lines.tell(step, time.monotonic())

    # A thread, because one step can take minutes; a daemon, so that it keeps no process that is interrupted.
    writer = threading.Thread(target=write, name="halfulp progress", daemon=True)
    writer.start()
    try:
        yield show
    finally:
        ended.set()
        writer.join(timeout=1.0)  # unless whoever reads standard error doesn't


def _write(line: str, stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):  # closed meanwhile
        try:
            # One call, and no lock that a process forked by the function under test would inherit.
            os.write(stream.fileno(), f"{line}\n".encode(stream.encoding or "utf-8", "backslashreplace"))
        except (AttributeError, OSError, ValueError):  # a stream that is no file
            stream.write(f"{line}\n")


@contextlib.contextmanager
def _bar() -> Generator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False)
    task = bar.add_task("", total=None, left="")
    pace = Pace(time.monotonic())

    def show(step: str) -> None:
        now = time.monotonic()
        pace.tell(step, now)
        if now - pace.begin < PATIENCE_S:
            return
        bar.update(task, description=pace.words, completed=pace.done, total=pace.total or None, left=pace.left(now))
        bar.start()

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
