"""shown: how every result shows itself, printed and in a notebook.

What draws lies far above the results, so it is not imported here: `halfulp` says once where it is (`draw_with`), and it is loaded when it
is first asked for. This is the one place where the house is upside down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

_draw: list[Callable[..., str]] = []


def draw_with(draw: Callable[..., str]) -> None:
    """Say what draws results: takes a result and `form=`, see `halfulp.report`."""
    _draw[:] = [draw]


def drawn(result: Any, form: str = "full") -> str:
    """A result as text or markup, see `halfulp.report`."""
    return _draw[0](result, form=form)


def shown(result_class: Kind) -> Kind:
    """Class decorator: `print(result)` gives the whole report, a notebook the answer with the report folded below it."""
    for name, method in (("__str__", _text), ("_repr_html_", _markup)):
        if name not in vars(result_class):
            setattr(result_class, name, method)
    return result_class


def _text(result: Any) -> str:
    return drawn(result)


def _markup(result: Any) -> str:
    return drawn(result, "snippet")
