"""What is put back after a run is put back to the end, also where Ctrl-C comes meanwhile."""

from __future__ import annotations

from collections.abc import Callable


def surely(put_back: Callable[[], object]) -> None:
    """Call what puts something back; where an interrupt stops it, call it again from its beginning, and let the interrupt go on.

    Args:
        put_back: gives the same, however often it is called and wherever it was stopped.
    """
    try:
        put_back()
    except BaseException as error:
        if not isinstance(error, Exception):
            put_back()
        raise
