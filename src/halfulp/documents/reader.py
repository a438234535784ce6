"""Documents read back: checked field by field against the class that wrote them."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

from ..containers import require_end
from ..errors import InputError
from ..files import path_of
from ..words.numbers import counted
from .kinds import KINDS, Kind

_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def read_result(path: str | Path) -> Any:
    """A result from the JSON file that a command with --json, or a result's `to_json`, wrote.

    Raises:
        InputError: the file is missing, no JSON, no result, of another schema, or damaged; the message says where.
    """
    content = read_document(path)
    return restored(content["kind"], content, str(path))


def read_document(path: str | Path) -> dict[str, Any]:
    """The same as plain data: a mapping with a known "kind" and its "schema".

    Raises:
        InputError: as for `read_result`; the fields themselves are not looked at.
    """
    try:
        text = path_of(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"Got {path}, which can't be read ({why}). Needed: a result as JSON. Pages and text reports are made from such a result. Write it with --json."
        ) from error
    return parsed(text, str(path))


def parsed(text: str, source: str = "text") -> dict[str, Any]:
    """The document in a text: a mapping with a known "kind" and its "schema".

    Raises:
        InputError: it is no JSON, or no document.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"Got {source}, which is not JSON ({str(error)[:80]}). Needed: a result as JSON. Nothing was read. Write it again with --json."
        ) from error
    _kind_of(content, source)
    return content


def _kind_of(content: Any, source: str) -> Kind:
    name = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        got = f"of kind {repr(name)[:40]}" if name is not None else "without a kind"
        raise InputError(
            f"Got {source}, which is JSON {got}. Needed: one of the kinds {', '.join(KINDS)}. Each command run with --json writes its own kind. Write the file again with this version."
        )
    kind = KINDS[name]
    if content.get("schema") != kind.schema:
        raise InputError(
            f"Got {source} of kind {name}, schema {repr(content.get('schema'))[:40]}. Needed: schema {kind.schema}. The meaning of its fields differs. Write it again: {kind.written_by}."
        )
    return kind


def restored(kind: str, content: dict[str, Any], source: str = "a document") -> Any:
    """The result that a document was written from.

    Raises:
        InputError: it is of another kind or schema, or a field is missing or of another type.
    """
    from pydantic import ValidationError

    found = _kind_of(content, source)
    if found.name != kind:
        raise InputError(
            f"Got {source}, a document of kind {found.name}. Needed: one of kind {kind}. The two hold different things. Write one: {KINDS[kind].written_by}."
        )
    require_end(content, source)
    try:
        result = _adapter(kind).validate_python(_with_numbers({"versions": {}, **content}))  # not of those who read it
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(number)[:40] for number in first["loc"][:8])
        raise InputError(
            f"Got {source} of kind {kind} whose {where or 'content'} is not valid: {' '.join(str(first['msg']).split())[:160]}, got {str(first['input'])[:60]!r} ({counted(error.error_count(), 'such field')}). Needed: what {found.written_by} writes. Fields can't be guessed. Write it again."
        ) from error
    wrong = found.problems_of(result)
    if wrong:
        raise InputError(
            f"Got {source} of kind {kind} in which {wrong[0]} ({counted(len(wrong), 'such value')}). Needed: what {found.written_by} writes. Fields can't be "
            "guessed. Write it again."
        )
    return result


@functools.cache
def _adapter(kind: str) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(KINDS[kind].result_class())


def _with_numbers(content: Any) -> Any:
    """What was measured, of any type, with the strings that stand for non-finite numbers as numbers again; typed fields know by themselves."""
    if isinstance(content, list):
        return [_with_numbers(item) for item in content]
    if not isinstance(content, dict):
        return content
    return {
        key: {name: _SPECIAL.get(item, item) if isinstance(item, str) else item for name, item in part.items()}
        if key == "measured" and isinstance(part, dict)
        else _with_numbers(part)
        for key, part in content.items()
    }


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind of document, as the package brings it.

    Raises:
        InputError: an unknown kind.
    """
    if kind not in KINDS:
        raise InputError(f"Got kind {kind!r}. Needed: one of {', '.join(KINDS)}. There is no other kind of result. Choose one.")
    return json.loads((Path(__file__).parent / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8"))
