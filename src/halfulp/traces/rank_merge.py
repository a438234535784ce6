"""merge_ranks(folder): the traces of a distributed run as one, as a single process would have written it.

A tensor that is spread over ranks is put together by its placements (what DTensor says of it): `Shard(d)` along axis d, `Replicate()`
taken once, `Partial(sum)` added. A plain tensor is the same on every rank, or it is kept once per rank under a name of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from ..files import path_of
from ..floats import BFLOAT16, round_to_format
from ..words.numbers import counted
from .hashes import hash_of
from .reader import read_trace
from .shards import ITEM_BYTES
from .trace import Place, Trace, Value
from .writer import TraceWriter


def merge_ranks(folder: str | Path, path: str | Path) -> Trace:
    """One trace of the ranks of a distributed run.

    Args:
        folder: holds rank-00000, rank-00001 ... as `record` writes them under torchrun. path: the trace to write; must not exist.

    Returns:
        The merged trace: the steps of rank 0, with values of whole tensors where placements say how. Values that differ between ranks
        without placements are rank 0's, and are listed in `.notes`.

    Raises:
        TraceError: no ranks, ranks of other programs, or a trace that can't be read.
    """
    folder = path_of(folder)
    found = sorted(path for path in folder.glob("rank-*") if path.is_dir())
    links = [path.name for path in found if path.is_symlink()]
    if links:
        raise TraceError(
            f"Got the link {links[0]!r} in {folder}. Needed: folders as torchrun's processes wrote them. "
            "Files outside the folder are not read. Replace the link with a copy of the folder it points to."
        )
    if len(found) < 2:
        raise TraceError(
            f"Got {counted(len(found), 'rank')} in {folder}. Needed: at least two (rank-00000, rank-00001 ...). There "
            "is nothing to put together. "
            "Pass the folder that torchrun's processes recorded to."
        )
    ranks = [read_trace(path) for path in found]
    first = ranks[0]
    programs = [(len(rank.values), [step.op for step in rank.ops]) for rank in ranks]
    if any(program != programs[0] for program in programs[1:]):
        raise TraceError(
            f"Got ranks of {folder.name} that ran different ops. Needed: the same program on each. Otherwise there's no way to tell "
            "which values belong together. Compare single ranks: halfulp locate A/rank-00000 B/rank-00000."
        )
    writer = TraceWriter(path, level=first.level, fingerprint=first.fingerprint)
    notes = [*first.notes]
    written: dict[Any, Place] = {}
    try:
        for number in range(len(first.values)):
            _merge_value(writer, ranks, number, notes, written)
        for step in first.steps:
            writer.add_step(step)
    except BaseException:
        writer.close(named={}, notes=("merging was interrupted",), complete=False)
        raise
    return read_trace(writer.close(named=first.named, notes=tuple(dict.fromkeys(notes))))


def _merge_value(writer: TraceWriter, ranks: list[Trace], number: int, notes: list[str], written: dict[Any, Place]) -> None:
    """Write one value; `written` remembers where elements went, so that values that share them go on sharing."""
    values = [rank.values[number] for rank in ranks]
    first = values[0]
    if all(value.hash == first.hash for value in values) and not any(_spread(placement) for placement in first.placements):
        return _write(writer, ranks[0], first, None, written, (first.place,))
    if not _can_join(values):
        where, kind = first.name or f"value {number}", f"{first.dtype} {'x'.join(map(str, first.shape))}".rstrip()
        notes.append(f"{where} ({kind}) differs between ranks and has no DTensor placements, so the value from rank 0 was kept")
        return _write(writer, ranks[0], first, None, written, (first.place,))
    joined = _joined([rank.stored(number) for rank in ranks], first.placements[0])
    return _write(writer, ranks[0], first, joined, written, (*(value.place for value in values), first.placements[0]))


def _spread(placement: str) -> bool:
    return placement.startswith(("Shard", "S(", "Partial", "P(", "_Partial"))


def _can_join(values: list[Value]) -> bool:
    """One mesh axis with a placement that says how, and all elements at hand."""
    placements, shapes = values[0].placements, [value.shape for value in values]
    if len(placements) != 1 or not all(value.is_complete for value in values):
        return False
    axis = _sharded_axis(placements[0])
    if axis is None:
        return _is_sum(placements[0]) and all(shape == shapes[0] for shape in shapes)
    return all(len(shape) > axis and shape[:axis] + shape[axis + 1 :] == shapes[0][:axis] + shapes[0][axis + 1 :] for shape in shapes)


def _sharded_axis(placement: str) -> int | None:
    found = re.match(r"(?:Shard|S)\((?:dim=)?(\d{1,9})\)", placement)
    return int(found.group(1)) if found else None


def _is_sum(placement: str) -> bool:
    return re.fullmatch(r"_?(?:Partial|P)(?:\((?:reduce_op=)?(?:sum)?\))?", placement) is not None


def _joined(parts: list[npt.NDArray[Any]], placement: str) -> npt.NDArray[Any]:
    axis = _sharded_axis(placement)
    if axis is not None:
        return np.concatenate(parts, axis=axis)
    total = parts[0].astype(np.float64)
    for part in parts[1:]:
        total = total + part
    return total.astype(parts[0].dtype)


def _write(
    writer: TraceWriter, trace: Trace, value: Value, whole: npt.NDArray[Any] | None, written: dict[Any, Place], source: tuple[Any, ...]
) -> None:
    if whole is None:
        if value.place is None:
            return writer.add_value(value)
        whole = trace.stored(value.number)
    bits = _bits(whole, value.dtype)
    shape = tuple(whole.shape) if value.is_complete else value.shape
    key = (value.dtype, tuple(whole.shape), *source)
    if value.dtype in ITEM_BYTES and key not in written:
        written[key] = writer.store(value.dtype, tuple(whole.shape), bits, elements=whole.size)
    place = written.get(key)
    hashed = hash_of(bits) if value.is_complete else value.hash
    strides = tuple(int(np.prod(shape[k + 1 :], dtype=np.int64)) for k in range(len(shape)))
    statistics = _statistics(whole) if shape != value.shape or hashed != value.hash else value.statistics
    writer.add_value(
        Value(
            value.number,
            value.role,
            value.name,
            value.dtype,
            shape=shape,
            strides=strides,
            device=value.device,
            hash=hashed,
            statistics=statistics,
            place=place,
        )
    )


def _bits(values: npt.NDArray[Any], dtype: str) -> npt.NDArray[Any]:
    """The bits as they were stored: bfloat16 is held as float32, whose upper half it is."""
    if dtype == "bfloat16":
        exact = round_to_format(values, BFLOAT16).astype(np.float32)  # a sum of ranks is a float32 number
        return (exact.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return values


def _statistics(values: npt.NDArray[Any]) -> dict[str, float]:
    if values.dtype.kind not in "f" or not values.size:
        return {}
    finite = values[np.isfinite(values)].astype(np.float64)
    found = {"nan": float(np.isnan(values).sum()), "inf": float(np.isinf(values).sum())} if finite.size < values.size else {}
    if finite.size:
        rms = float(np.sqrt(np.mean(finite**2)))
        found |= {"min": float(finite.min()), "max": float(finite.max()), "mean": float(finite.mean()), "rms": rms}
    return found
