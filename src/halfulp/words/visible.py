"""visible(text): what a terminal or a log would act on instead of showing it, as escapes.

Results are read from files, and names come from programs under test. An escape code in one could clear the screen, retitle the window or
hide a line; a right-to-left mark turns text round; a line that begins with "::" is a command for GitHub Actions, one with "##[" or "##vso["
for Azure Pipelines.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import re
import unicodedata
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

from ..errors import HalfulpError, InputError
from .numbers import with_article

LINES = frozenset(("report", "reason", "case_file", "Cause.source"))
"""Fields of results that hold several lines, by name or CLASS.name; in any other a new line is shown as an escape too, so that no name can look like an answer."""

_COMMAND = re.compile(r"^([^\S\n]*)(::|##\[|##vso\[)", re.MULTILINE)

Kind = TypeVar("Kind")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with control characters, marks of direction, invisible characters and commands of CI logs as escapes.

    Args:
        text: any text. lines: whether new lines and tabs stay what they are.
    """
    if not text.isprintable():
        made = "".join(name if _is_shown(name) or (lines and name in "\n\t") else _escape(name) for name in text)
        text = text if made == text else made
    if "::" in text or "##" in text:
        text = _COMMAND.sub(lambda found: f"{found[1]}{_escape(found[2][0])}{found[2][1:]}", text)
    return text


def _is_shown(character: str) -> bool:
    # Zs: spaces. Co: private use, which fonts of terminals draw symbols with.
    return character.isprintable() or unicodedata.category(character) in ("Zs", "Co")


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@contextlib.contextmanager
def fitting(result: object) -> Generator[None]:
    """What can't be drawn because its values contradict each other is refused in one line.

    The schema says of each value what it is, not that a list is as long as another, or that a number stands for a place that exists.

    Raises:
        InputError: it can't be drawn.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, HalfulpError):
            raise
        said = visible(" ".join(str(error).split())[:80])
        raise InputError(
            f"Got {with_article(type(result).__name__)} whose values don't fit together ({type(error).__name__}: {said}). Needed: "
            "a result exactly as halfulp made it. An inconsistent result can't be shown. If nobody changed it, please "
            "report this with the result as JSON."
        ) from error


def cleaned(result: Kind) -> Kind:
    """The same result with every text in it visible; the very same object where there was nothing to escape."""
    return _cleaned(result, lines=False)


def _cleaned(value: Any, *, lines: bool) -> Any:
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return visible(value, lines=lines)
    if isinstance(value, (list, tuple)):
        parts = [_cleaned(part, lines=lines) for part in value]
        if all(a is b for a, b in zip(parts, value)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, Mapping):
        made = {_cleaned(key, lines=False): _cleaned(part, lines=lines) for key, part in value.items()}
        return value if all(a is b for a, b in zip([*made, *made.values()], [*value, *value.values()])) else made
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed: dict[str, Any] = {}
        for field in dataclasses.fields(value):
            before = getattr(value, field.name, None)
            after = _cleaned(before, lines=not LINES.isdisjoint((field.name, f"{type(value).__name__}.{field.name}")))
            if field.init and after is not before:
                changed[field.name] = after
        return dataclasses.replace(value, **changed) if changed else value
    return value
