"""read_trace(path): a trace from its folder, with every field checked before it is used.

Traces travel between machines and people. Nothing in one is executed or unpickled, no file outside its folder is opened, and no size is
believed before the files on disk bear it out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from ..errors import TraceError
from ..files import path_of
from ..words.numbers import counted
from .fingerprint import Fingerprint
from .roles import Phase, Role, StepKind
from .shards import ITEM_BYTES, SHARD, Place
from .trace import LEVELS, SCHEMA, Step, Trace, Value
from .writer import MANIFEST, PARTIAL, RECORDS, decoded, sha256_of

_LONGEST_MANIFEST = 64 << 20
"""Bytes. A manifest names outputs, parameters and packages: a million parameters take 40 MB."""
_LONGEST_LINE = 16 << 20
"""Bytes. One record names at most the arguments of one op: a fused optimizer step over a million parameters takes 15 MB."""
_MOST_ELEMENTS = 1 << 48
"""More than any machine holds; keeps products of axes within 64 bits."""
Word = TypeVar("Word", bound=Enum)


class _Malformed(Exception):
    """What is wrong with a record, in a few words."""


def read_trace(path: str | Path) -> Trace:
    """The trace in a folder, complete or partial.

    Args:
        path: the folder that `record` wrote ("run.trace"); where only "run.trace.partial" is there, that one.

    Raises:
        TraceError: no trace, a schema that this version does not know, or content that contradicts itself. The message says what and where.

    Numerics:
        Elements are not read here; `Trace.stored` compares their hash when it reads them.
    """
    folder = path_of(path)
    if not folder.is_dir() and folder.with_name(folder.name + PARTIAL).is_dir():
        folder = folder.with_name(folder.name + PARTIAL)
    head = _manifest(folder)
    schema = head.get("schema")
    if not isinstance(schema, int) or schema not in _READERS:
        raise TraceError(
            f"Got a trace with schema {repr(schema)[:40]} in {folder.name}. Needed: schema {' or '.join(map(str, _READERS))}. The fields "
            "of this one have a different meaning. Read it with the halfulp version that wrote it, or record again with this one."
        )
    try:
        return _READERS[schema](folder, head)
    except (_Malformed, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, IndexError) as error:
        what = " ".join((str(error) if isinstance(error, _Malformed) else f"{type(error).__name__}: {str(error)[:80]!r}").split())
        raise TraceError(
            f"Got a damaged trace in {folder.name}: {what}. Needed: a folder as `halfulp record` wrote it. None of it was used. "
            "Copy it again, or record again."
        ) from None


def _told(error: BaseException) -> str:
    return str(error)[:80] if isinstance(error, _Malformed) else f"{type(error).__name__}: {str(error)[:80]}"


def _manifest(folder: Path) -> dict[str, Any]:
    manifest = folder / MANIFEST
    if not manifest.is_file() or manifest.is_symlink():
        ranks = [path for path in folder.glob("rank-*") if path.is_dir()]
        hint = "Check the path."
        if len(ranks) == 1:
            hint = f"This one holds 1 rank: pass {ranks[0]}."
        elif ranks:
            hint = f"This one holds {len(ranks)} ranks: `halfulp merge {folder} -o NAME.trace` makes one trace of them."
        what = f"has no {MANIFEST}" if folder.exists() else "does not exist"
        raise TraceError(f"Got {folder}, which {what}. Needed: a folder that `halfulp record` wrote. {hint}")
    try:
        if manifest.stat().st_size > _LONGEST_MANIFEST:
            raise _Malformed(f"a manifest of {manifest.stat().st_size} bytes")
        head = json.loads(manifest.read_bytes())
        if not isinstance(head, dict):
            raise _Malformed("a manifest that is not a JSON object")
    except (OSError, ValueError, RecursionError, _Malformed) as error:
        raise TraceError(
            f"Got {manifest.parent.name}/{MANIFEST}, which can't be read ({_told(error)}). Needed: the JSON that "
            "`halfulp record` wrote. None of the trace was used. Copy it again, or record again."
        ) from None
    return head  # pyright: ignore[reportUnknownVariableType]


def _read_schema_1(folder: Path, head: dict[str, Any]) -> Trace:
    complete = head.get("complete")
    if not isinstance(complete, bool):
        raise _Malformed("a manifest that does not say whether it is complete")
    if head.get("level") not in LEVELS:
        raise _Malformed(f"level {str(head.get('level'))[:40]!r}")
    rank = head.get("rank")
    if rank is not None:
        _natural(rank, "rank", 1 << 31)
    values, steps = _records(folder, complete=complete)
    if complete:
        said = [str(head.get(name))[:20] for name in ("values", "steps")]
        if said != [str(len(values)), str(len(steps))]:
            raise _Malformed(
                f"the numbers of values and steps are {len(values)} and {len(steps)} where the manifest says {said[0]!r} and {said[1]!r}"
            )
        if head.get("records_sha256") != sha256_of(folder / RECORDS):
            raise _Malformed(f"{RECORDS} does not have the hash that the manifest gives")
    named = {_text(name): _natural(number, "value", len(values)) for name, number in dict(head.get("named", {})).items()}
    notes = tuple(_text(note) for note in list(head.get("notes", [])))
    fingerprint = Fingerprint.from_content(head.get("fingerprint"))
    return Trace(
        folder, head["level"], values, steps, fingerprint=fingerprint, named=named, notes=notes, is_partial=not complete, rank=rank
    )


_READERS: dict[Any, Callable[[Path, dict[str, Any]], Trace]] = {SCHEMA: _read_schema_1}
"""Schema -> its reader. A new schema gets a new reader; the old ones stay."""


def _records(folder: Path, *, complete: bool) -> tuple[list[Value], list[Step]]:
    values: list[Value] = []
    steps: list[Step] = []
    sizes: dict[str, int] = {}
    path = folder / RECORDS
    if path.is_symlink() or not path.is_file():
        raise _Malformed(f"no {RECORDS}")
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            try:
                if not line.endswith(b"\n"):
                    raise _Malformed("a line that is cut off or too long")
                entry = json.loads(line)
                if "value" in entry:
                    values.append(_value(entry, len(values), folder, sizes))
                else:
                    steps.append(_step(entry, len(steps), len(values)))
            except (_Malformed, KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
                # What a killed run wrote last may be cut off; anything else is damage.
                if not complete and not file.read(1):
                    break
                what = str(error) if isinstance(error, _Malformed) else f"{type(error).__name__} ({str(error)[:80]})"
                raise _Malformed(f"{RECORDS} line {number}: {what}") from None
    return values, steps


def _value(entry: dict[str, Any], number: int, folder: Path, sizes: dict[str, int]) -> Value:
    if entry["value"] != number:
        raise _Malformed(f"value {str(entry['value'])[:20]!r} where {number} should come next")
    shape, strides = _axes(entry["shape"]), _axes(entry["strides"], signed=True)
    if len(shape) != len(strides) and strides:
        raise _Malformed(f"{len(shape)} axes with {len(strides)} strides")
    elements = 1
    for axis in shape:
        elements *= max(1, axis)  # an empty tensor may not be large in its other axes either: libraries refuse it
        if elements > _MOST_ELEMENTS:
            raise _Malformed("a tensor of more than 2**48 elements")
    elements = 0 if 0 in shape else elements
    statistics = {_text(key): _number(item) for key, item in dict(entry["statistics"]).items()}
    dtype = _text(entry["dtype"])
    hash_text = _text(entry["hash"])
    if hash_text and not re.fullmatch("[0-9a-f]{16}", hash_text):
        raise _Malformed(f"hash {hash_text[:20]!r}")
    place = None
    if "place" in entry:
        place = _place(entry["place"], dtype, elements, folder, sizes)
    placements = tuple(_text(item) for item in list(entry.get("placements", ())))
    name, device = _text(entry["name"]), _text(entry["device"])
    return Value(
        number,
        _word(Role, entry["role"]),
        name,
        dtype,
        shape=shape,
        strides=strides,
        device=device,
        hash=hash_text,
        statistics=statistics,
        place=place,
        placements=placements,
    )


def _place(entry: Any, dtype: str, elements: int, folder: Path, sizes: dict[str, int]) -> Place:
    shard, begin, end, stored = entry
    if not isinstance(shard, str) or not SHARD.fullmatch(shard):
        raise _Malformed(f"shard name {str(shard)[:40]!r}")
    if shard not in sizes:
        path = folder / shard
        if path.is_symlink() or not path.is_file():
            raise _Malformed(f"no {shard}")
        sizes[shard] = path.stat().st_size
    if dtype not in ITEM_BYTES:
        raise _Malformed(f"stored elements of dtype {dtype[:20]!r}")
    _natural(stored, "number of stored elements", elements + 1)
    _natural(begin, "offset", sizes[shard] + 1)
    _natural(end, "offset", sizes[shard] + 1)
    if end - begin != stored * ITEM_BYTES[dtype]:
        raise _Malformed(f"{counted(end - begin, 'byte')} of {shard} for {counted(stored, 'element')} of {dtype}")
    return Place(shard, begin, end, stored)


def _step(entry: dict[str, Any], index: int, values: int) -> Step:
    if entry["step"] != index:
        raise _Malformed(f"step {str(entry['step'])[:20]!r} where {index} should come next")
    kind, phase = _word(StepKind, entry["kind"]), _word(Phase, entry["phase"])
    if phase is Phase.BUFFER:
        raise _Malformed("phase 'buffer', which a step can't have")
    outputs = tuple(None if item is None else _natural(item, "value", values) for item in entry["outputs"])
    forward = entry["forward"]
    if forward is not None:
        _natural(forward, "step", index)
    arguments, keywords = decoded(list(entry["arguments"])), decoded(dict(entry["keywords"]))
    if not isinstance(keywords, dict):
        raise _Malformed("keyword arguments that are not a dictionary")
    op, module, source = _text(entry["op"]), _text(entry["module"]), _text(entry["source"])
    call = _natural(entry["call"], "call", 1 << 62)
    step = Step(
        index,
        kind,
        phase,
        op,
        module=module,
        call=call,
        source=source,
        arguments=tuple(arguments),
        keywords=keywords,
        outputs=outputs,
        forward=forward,
    )
    for number in step.inputs:
        _natural(number, "value", values)
    return step


def _axes(entry: Any, *, signed: bool = False) -> tuple[int, ...]:
    if not isinstance(entry, list) or len(entry) > 64:  # 64: the most axes that PyTorch or NumPy take  # pyright: ignore[reportUnknownArgumentType]
        raise _Malformed("a shape that is not a list of axes")
    return tuple(_natural(abs(item) if signed and isinstance(item, int) else item, "axis", _MOST_ELEMENTS) for item in entry)  # pyright: ignore[reportUnknownVariableType]


def _natural(value: Any, what: str, limit: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
        raise _Malformed(
            f"{what} {str(value)[:20]!r} outside 0 to {limit - 1}"
            if isinstance(value, int)
            else f"{what} {str(value)[:20]!r}, which is not a whole number"
        )
    return value


def _number(value: Any) -> float:
    found = decoded(value)
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise _Malformed("a statistic that is not a number")
    return float(found)


def _word(words: type[Word], value: Any) -> Word:
    try:
        return words(value)
    except ValueError:
        raise _Malformed(f"{str(value)[:20]!r} where one of {', '.join(map(str, words))} belongs") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Malformed(f"{str(value)[:20]!r} where text belongs")
    return value
