"""Results as strict JSON: non-finite numbers are the strings "nan", "inf" and "-inf", verdicts their names, tuples lists."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .kinds import KINDS


def document(kind: str, result: Any, **derived: Any) -> dict[str, Any]:
    """What is stored of a result.

    Args:
        kind: its name in `KINDS`. result: a dataclass, or a mapping of what is stored. derived: what readers want and nothing is restored from.
    """
    content = result if isinstance(result, dict) else {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {"schema": KINDS[kind].schema, "kind": kind, **plain(derived), **plain(content)}


def text_of(content: dict[str, Any]) -> str:
    """The document as text: the same document gives the same text."""
    return json.dumps(content, indent=1, allow_nan=False)


def plain(value: Any) -> Any:
    """The same content in types that strict JSON has."""
    if isinstance(value, enum.Enum):
        return value.value if isinstance(value, str) else value.name
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value
