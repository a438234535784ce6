"""Messages between halfulp and a worker: a JSON header and the bytes of tensors, in frames over two pipes. Nothing is unpickled on the way back.

A frame: 8 bytes that tell it from anything else that might be printed, the lengths of header and rest, the header, the tensors.

Tensors go from their memory into the pipe, and from the pipe into theirs, with no file format between, which would copy them again on
either side. `python -m benchmarks.kernels.round_trip` prints what a call costs.
"""

from __future__ import annotations

import contextlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import torch

from ...cases.raw_bytes import raw_bytes
from ...errors import WorkerError

MARK = b"\x00halfulp"
_LENGTHS = struct.Struct("<QQ")
MOST_HEADER_BYTES = 1 << 26
"""A header says names and words: 64 MiB is a thousand times more than the largest that was seen, and stops nonsense from being awaited."""
DTYPES = {str(dtype): dtype for dtype in vars(torch).values() if isinstance(dtype, torch.dtype) and not str(dtype).startswith("torch.q")}
"""What a message can hold, by name: everything but quantized numbers, which have a scale of their own."""


@dataclass(frozen=True, eq=False)
class Message:
    """What one side says.

    Attributes:
        header: anything JSON. tensors: on the CPU. attachment: bytes that only a worker reads (the target, pickled).
    """

    header: Mapping[str, Any]
    tensors: Sequence[torch.Tensor] = ()
    attachment: bytes = field(default=b"", repr=False)


def send(stream: IO[bytes], message: Message) -> None:
    """Write a frame; nothing of it where a tensor can't be sent.

    Raises:
        TypeError: one is quantized or sparse, or is not on the CPU.
    """
    for tensor in message.tensors:
        if str(tensor.dtype) not in DTYPES or tensor.device.type != "cpu" or tensor.layout is not torch.strided:
            raise TypeError(
                f"Got a tensor of {tensor.dtype} ({tensor.layout}) on {tensor.device}. Needed: a dense tensor on the CPU that is not quantized. "
                "Only the bytes of numbers are sent to another process. Convert it first."
            )
    parts = [raw_bytes(tensor) for tensor in message.tensors]
    kinds = [(str(tensor.dtype), list(tensor.shape)) for tensor in message.tensors]
    header = {"header": dict(message.header), "tensors": kinds, "attachment": len(message.attachment)}
    text, size = json.dumps(header).encode(), sum(map(len, parts))
    stream.write(MARK + _LENGTHS.pack(len(text), size + len(message.attachment)))
    stream.write(text)
    for part in parts:
        stream.write(part)
    stream.write(message.attachment)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """Read a frame; None at the end of the stream.

    Raises:
        WorkerError: what comes is no frame.
    """
    mark = _exactly(stream, len(MARK))
    if mark is None:
        return None
    if mark != MARK:
        raise WorkerError(
            f"Got {mark!r} where a message begins. Needed: an answer from halfulp's worker. Something else is writing to its pipe."
        )
    lengths = _exactly(stream, _LENGTHS.size)
    size, rest = _LENGTHS.unpack(lengths) if lengths is not None else (MOST_HEADER_BYTES + 1, 0)
    if size > MOST_HEADER_BYTES:
        raise WorkerError(f"Got a header of {size} bytes. Needed: at most {MOST_HEADER_BYTES}. The answer is damaged.")
    text = _exactly(stream, size)
    if text is None:
        return None
    try:
        content = json.loads(text)
        header, left = dict(content["header"]), int(content["attachment"])
        kinds = [(DTYPES[name], [int(length) for length in shape]) for name, shape in content["tensors"]]
        if rest != left + sum(dtype.itemsize * math.prod(shape) for dtype, shape in kinds) or left < 0:
            raise ValueError("lengths that don't add up")
        tensors = [torch.empty(shape, dtype=dtype, device="cpu") for dtype, shape in kinds]
    except Exception as error:  # whatever a damaged message makes of its readers
        raise WorkerError(
            f"Got a message that can't be read ({type(error).__name__}). Needed: an answer from halfulp's worker. It is damaged."
        ) from error
    if not all(_is_filled(raw_bytes(tensor), stream) for tensor in tensors):
        return None
    attachment = _exactly(stream, left)
    return None if attachment is None else Message(header, tensors, attachment)


def widened(stream: IO[bytes]) -> None:
    """Let a pipe hold 256 KiB instead of 64, where the system can: both sides then take turns less often.

    A user's pipes may hold 64 MiB together (pipe-user-pages-soft), which is for other programs too.
    """
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import fcntl

        fcntl.fcntl(stream, getattr(fcntl, "F_SETPIPE_SZ"), 1 << 18)  # noqa: B009  # Linux alone has it


def _is_filled(memory: memoryview, stream: IO[bytes]) -> bool:
    """Whether there was as much to read as there is memory; it was read there."""
    reading: Any = stream
    while len(memory):
        count = reading.readinto(memory[: 1 << 24])
        if not count:
            return False
        memory = memory[count:]
    return True


def _exactly(stream: IO[bytes], count: int) -> bytes | None:
    parts: list[bytes] = []
    while count:
        part = stream.read(min(count, 1 << 24))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
