"""shown: how every result shows itself, printed and in a notebook. What draws lies far above the results; it is loaded when it is asked."""

from __future__ import annotations

from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)


def shown(result_class: Kind) -> Kind:
    """Class decorator: `print(result)` gives the whole report, a notebook the answer with the report folded below it."""
    for name, method in (("__str__", _text), ("_repr_html_", _markup)):
        if name not in vars(result_class):
            setattr(result_class, name, method)
    return result_class


def _text(result: Any) -> str:
    import halfulp

    return halfulp.report(result)


def _markup(result: Any) -> str:
    import halfulp

    return halfulp.report(result, form="snippet")
