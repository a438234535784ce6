"""halfulp doctor"""

from __future__ import annotations

from .output import Html, Json, show


def doctor(
    as_json: Json = None,
    html: Html = None,
) -> None:
    """What decides the bits on this machine: versions, CPU, libraries, threads, precision settings, and anything surprising about them."""
    from importlib import import_module

    from halfulp.traces import fingerprint

    import_module("torch")  # the fingerprint reads settings only of frameworks that are loaded

    show(fingerprint(), as_json=as_json, html=html)
