"""shown: how every result shows itself, printed and in a notebook.

What draws lies far above the results, so it is not imported here: `halfulp` says once where it is (`draw_with`), and it is loaded when it
is first asked for. This is the one place where the house is upside down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

LONGEST = 160
"""Characters of a result in a line: what fits a log."""

_draw: list[Callable[..., str]] = []


def draw_with(draw: Callable[..., str]) -> None:
    """Say what draws results: takes a result and `form=`, see `halfulp.report`."""
    _draw[:] = [draw]


def drawn(result: Any, form: str = "full") -> str:
    """A result as text or markup, see `halfulp.report`."""
    return _draw[0](result, form=form)


def shown(result_class: Kind) -> Kind:
    """Class decorator: how a result shows itself, and whether it is true.

    `print(result)` gives the whole report, a notebook the answer with the report folded below it, and `repr(result)` one line in place of
    a dataclass's wall of text. A result with a verdict is true where that is acceptable, so `assert halfulp.check(...)` tests something.
    """
    methods = {"__str__": _text, "_repr_html_": _markup, **({"__bool__": _is_acceptable} if hasattr(result_class, "acceptable") else {})}
    missing = {name: method for name, method in methods.items() if name not in vars(result_class)}
    for name, method in {**missing, "__repr__": _line}.items():
        setattr(result_class, name, method)
    return result_class


def _line(result: Any) -> str:
    name = type(result).__name__
    try:
        first = drawn(result, "answer").strip().partition("\n")[0]
    except Exception:  # a debugger shows half-made objects too
        return f"<{name}>"
    return f"<{name} {first if len(first) <= LONGEST else first[: LONGEST - 3] + '...'}>"


def _is_acceptable(result: Any) -> bool:
    return result.acceptable is True


def _text(result: Any) -> str:
    return drawn(result)


def _markup(result: Any) -> str:
    return drawn(result, "snippet")
