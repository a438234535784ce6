"""Writes the JSON Schemas from the classes and their docstrings: python -m halfulp.documents.schema_writer"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any

from ..files import write_file
from .kinds import KINDS, Kind, named

FOLDER = Path(__file__).parent / "schemas"
DERIVED: dict[str, dict[str, dict[str, Any]]] = {
    "check": {
        "acceptable": {"enum": [True, False, None], "description": "Whether `actual` is acceptable; null when undecided."},
        "warnings": {"type": "array", "items": {"type": "string"}, "description": "What the verdict does not cover, in sentences."},
        "reason": {"type": "string", "description": "The reason for the verdict, in one sentence."},
    },
    "comparison": {"same_bits": {"type": "boolean", "description": "Whether structure and all bits agree."}},
    "origin": {
        "acceptable": {"enum": [True, False, None], "description": "Whether the verdict counts as acceptable; null when undecided."}
    },
    "explanation": {
        "explained": {"type": "boolean", "description": "Whether a cause was found."},
        "acceptable": {"enum": [True, False, None], "description": "Whether the verdict counts as acceptable; null when undecided."},
    },
    "kernel": {
        "acceptable": {
            "enum": [True, False, None],
            "description": "Whether all solutions are right; null when some are undecided and none is wrong.",
        },
        "answers": {"type": "array", "items": {"type": "string"}, "description": "RIGHT, CHEAT or a verdict for each solution."},
    },
    "watch": {
        "changes": {
            "type": "object",
            "additionalProperties": {"enum": ["new", "unchanged", "better", "worse", "changed", "failed"]},
            "description": "Name of each case -> what became of its verdict.",
        }
    },
    "worst": {"acceptable": {"enum": [True, False, None], "description": "Whether `actual` is acceptable there; null when undecided."}},
    "sweep": {
        "acceptable": {
            "enum": [True, False, None],
            "description": "Whether every verdict is acceptable; null when some are undecided and none is worse.",
        }
    },
    "growth": {
        "acceptable": {
            "enum": [True, False, None],
            "description": "Whether the verdict at the worst size counts as acceptable; null when undecided.",
        }
    },
}
"""What documents hold beside the fields of their class: nothing is restored from it."""
NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}


def described(kind: Kind) -> dict[str, Any]:
    """The schema of a kind of document."""
    from pydantic import TypeAdapter

    made = TypeAdapter(kind.result_class()).json_schema(ref_template="#/$defs/{model}")
    definitions = made.pop("$defs", {})
    _complete(made, kind.result_class())
    for name, definition in definitions.items():
        if "enum" not in definition:
            _complete(definition, _class_named(name, kind.result_class()))
    _with_measured(definitions)
    derived = DERIVED.get(kind.name, {})
    head = {
        "schema": {"const": kind.schema, "description": "Raised whenever the meaning of a field changes."},
        "kind": {"const": kind.name, "description": "What the document holds."},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.title,
        "description": f"{inspect.getdoc(kind.result_class()) or ''}".partition("\n")[0] + f" Written by `{kind.written_by}`.",
        "type": "object",
        "properties": {**head, **derived, **made["properties"]},
        "required": [*head, *derived, *made["properties"]],
        "additionalProperties": False,
        "$defs": {**definitions, "Number": NUMBER},
    }


def _with_measured(definitions: dict[str, Any]) -> None:
    """What each kind of evidence measures: the table lies above this folder, with the evidence."""
    if "Evidence" in definitions:
        definitions["Evidence"]["allOf"] = named("verdicts.evidence.measured:schema_of_measured")()


def _class_named(name: str, root: type[Any]) -> type[Any]:
    """A dataclass that the root's fields refer to, by name."""
    import typing

    waiting, seen = [root], set[Any]()
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        if dataclasses.is_dataclass(found):
            if found.__name__ == name:
                return found
            waiting += typing.get_type_hints(found).values()
        waiting += typing.get_args(found)
    raise LookupError(name)


def _complete(schema: dict[str, Any], of: type[Any]) -> None:
    """Words for each field, non-finite numbers, all fields written."""
    words = descriptions(of)
    for name, item in schema.get("properties", {}).items():
        item.pop("title", None)
        item.pop("default", None)
        item["description"] = words[name]
    _with_numbers(schema)
    schema.pop("title", None)
    schema["description"] = (inspect.getdoc(of) or "").partition("\n")[0]
    schema["required"] = list(schema.get("properties", {}))
    schema["additionalProperties"] = False


def _with_numbers(tree: Any) -> None:
    if isinstance(tree, list):
        for item in tree:
            _with_numbers(item)
    if isinstance(tree, dict):
        if tree.get("type") == "number":
            del tree["type"]
            tree["$ref"] = "#/$defs/Number"
        for value in tree.values():
            _with_numbers(value)


def descriptions(of: type[Any]) -> dict[str, str]:
    """What the docstring's Attributes section says of each field; several may share a sentence.

    Raises:
        LookupError: a field is not described.
    """
    text = inspect.getdoc(of) or ""
    section = " ".join(text.partition("Attributes:")[2].partition("\n\n")[0].split())
    names = [field.name for field in dataclasses.fields(of)]
    one = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    found: dict[str, str] = {}
    marks = [*re.finditer(rf"(?:^|(?<=[.;)] )|(?<=\" ))((?:(?:{one}), )*(?:{one})): ", section)]
    for mark, after in zip(marks, [*marks[1:], None]):
        words = section[mark.end() : after.start() if after else len(section)].strip()
        for name in mark.group(1).split(", "):
            found[name] = words[:1].upper() + words[1:]
    missing = [word for word in names if word not in found]
    if missing:
        raise LookupError(f"{of.__name__} does not describe {', '.join(missing)} under Attributes")
    return found


def schema_text(kind: Kind) -> str:
    """The text of a schema's file."""
    return json.dumps(described(kind), indent=1) + "\n"


def main() -> None:
    """Write all of them."""
    for kind in KINDS.values():
        write_file(FOLDER / f"{kind.name}.schema.json", schema_text(kind))


if __name__ == "__main__":
    main()
