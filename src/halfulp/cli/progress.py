"""What is being done, on standard error, for work that takes longer than two seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Generator

PATIENCE_S = 2.0


@contextlib.contextmanager
def steps_on_stderr(silent: bool) -> Generator[Callable[[str], None]]:
    """A function that names the step at hand; on a terminal as a line that is overwritten, and only after two seconds."""
    start = time.monotonic()
    shown = False
    on_terminal = sys.stderr.isatty()

    def show(step: str) -> None:
        nonlocal shown
        elapsed = time.monotonic() - start
        if silent or not on_terminal or elapsed < PATIENCE_S:
            return
        shown = True
        sys.stderr.write(f"\r\033[K{step} ({elapsed:.0f} s)")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
