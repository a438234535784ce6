"""Shards: the values of a trace's tensors, as safetensors files that are written from front to back.

A shard starts with room for its header; the header is filled in when the shard is closed, and any reader of safetensors can open it then.
Until then the records of the trace say where each tensor lies, so that a run that was killed loses nothing that it wrote.

References:
    safetensors format: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from ..errors import TraceError

SHARD = re.compile(r"shard-[0-9]{4}\.safetensors")
"""What the files of a trace are called."""
SHARD_BYTES = 1 << 30
"""A new shard is begun once one has 1 GiB: small enough to copy or to lose, large enough that a trace has few files."""
_HEADER_BYTES = 1 << 20
"""Room for about 10,000 tensors; a shard is closed when its header is full."""
_ENTRY_BYTES = 120 + 21 * 8
"""The most that one tensor takes in the header: two 19-digit offsets, eight 19-digit axes, name and punctuation."""

SAFETENSORS_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "bool": "BOOL", "complex64": "C64",
}  # fmt: skip
ITEM_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "int64": 8, "int32": 4, "int16": 2,
    "int8": 1, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where a tensor's bytes lie.

    Attributes:
        shard: the file's name. begin, end: bytes from the start of the file.
        elements: how many elements are stored: all, or those of `sampled_places`.
    """

    shard: str
    begin: int
    end: int
    elements: int


class ShardWriter:
    """Writes tensors one after another into the shards of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._file: IO[bytes] | None = None
        self._entries: dict[str, dict[str, object]] = {}
        self._position = 0
        self.bytes_written = 0

    def add(self, name: str, dtype: str, shape: tuple[int, ...], values: npt.NDArray[np.generic], *, elements: int) -> Place:
        """Write the bytes of a contiguous array; returns where they are."""
        if self._file is None:
            self._open()
        assert self._file is not None
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        self._file.write(raw)
        begin, self._position = self._position, self._position + len(raw)
        if dtype == "complex128":  # which the format lacks: pairs of float64
            dtype, shape = "float64", (*shape, 2)
        if dtype in SAFETENSORS_NAMES:
            offsets = [begin - _HEADER_BYTES - 8, self._position - _HEADER_BYTES - 8]
            self._entries[name] = {"dtype": SAFETENSORS_NAMES[dtype], "shape": list(shape), "data_offsets": offsets}
        self.bytes_written += len(raw)
        place = Place(self._name, begin, self._position, elements)
        if self._position > SHARD_BYTES or (len(self._entries) + 1) * _ENTRY_BYTES > _HEADER_BYTES:
            self.close()
        return place

    def flush(self) -> None:
        """Hand everything to the operating system, which keeps it if this process dies."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Fill in the header of the open shard."""
        if self._file is None:
            return
        header = json.dumps(self._entries).encode()
        self._file.seek(8)
        self._file.write(header.ljust(_HEADER_BYTES, b" "))
        self._file.close()
        self._file, self._entries = None, {}

    @property
    def _name(self) -> str:
        return f"shard-{self._number:04d}.safetensors"

    def _open(self) -> None:
        self._number += 1
        self._file = (self._folder / self._name).open("wb")
        self._file.write(_HEADER_BYTES.to_bytes(8, "little"))
        self._file.write(b"{}".ljust(_HEADER_BYTES, b" "))
        self._position = 8 + _HEADER_BYTES


class ShardReader:
    """Reads tensors out of the shards of a folder, as little of them as is asked for.

    Files are read, not mapped: pages of a mapping would count as memory of this process.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, place: Place, begin: int, end: int) -> bytearray:
        """Bytes begin to end, counted from the start of a tensor."""
        wanted = bytearray(end - begin)
        got, view = 0, memoryview(wanted)
        try:
            with (self._folder / place.shard).open("rb", buffering=0) as file:
                file.seek(place.begin + begin)
                while got < len(wanted):
                    count = file.readinto(view[got:])
                    if not count:
                        break
                    got += count
        except OSError as error:
            raise TraceError(
                f"Got {type(error).__name__} while reading {place.shard} of {self._folder.name}. Needed: the shard that the trace's "
                "records "
                "name. Its tensors can't be compared without it. Copy the whole folder again."
            ) from error
        if got < len(wanted):
            raise TraceError(
                f"Got the end of {place.shard} of {self._folder.name} in the middle of a tensor. Needed: the whole shard. "
                "It was truncated after the trace was opened. Copy the folder again."
            )
        return wanted
