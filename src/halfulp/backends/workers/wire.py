"""Messages between halfulp and a worker: a JSON header and tensors as safetensors, in frames over two pipes. Nothing is unpickled on the way back.

A frame: 8 bytes that tell it from anything else that might be printed, the lengths of header and tensors, the header, the tensors.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import torch

from ...errors import WorkerError

MARK = b"\x00halfulp"
_LENGTHS = struct.Struct("<QQ")
MOST_HEADER_BYTES = 1 << 26
"""A header says names and words: 64 MiB is a thousand times more than the largest that was seen, and stops nonsense from being awaited."""


@dataclass(frozen=True, eq=False)
class Message:
    """What one side says.

    Attributes:
        header: anything JSON. tensors: contiguous, on the CPU. attachment: bytes that only a worker reads (the target, pickled).
    """

    header: Mapping[str, Any]
    tensors: Sequence[torch.Tensor] = ()
    attachment: bytes = field(default=b"", repr=False)


def send(stream: IO[bytes], message: Message) -> None:
    """Write a frame."""
    from safetensors.torch import save

    payload = (
        save({str(place): tensor.detach().contiguous() for place, tensor in enumerate(_apart(message.tensors))}) if message.tensors else b""
    )
    header = {"header": dict(message.header), "tensors": len(message.tensors), "attachment": len(message.attachment)}
    text = json.dumps(header).encode()
    stream.write(MARK + _LENGTHS.pack(len(text), len(payload) + len(message.attachment)))
    stream.write(text)
    stream.write(payload)
    stream.write(message.attachment)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """Read a frame; None at the end of the stream.

    Raises:
        WorkerError: what comes is no frame.
    """
    from safetensors.torch import load

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
    text, body = _exactly(stream, size), _exactly(stream, rest)
    if text is None or body is None:
        return None
    try:
        content = json.loads(text)
        cut = len(body) - int(content["attachment"])
        found = load(bytes(body[:cut])) if content["tensors"] else {}
        return Message(dict(content["header"]), [found[str(place)] for place in range(int(content["tensors"]))], bytes(body[cut:]))
    except Exception as error:  # whatever a damaged message makes of its readers
        raise WorkerError(
            f"Got a message that can't be read ({type(error).__name__}). Needed: an answer from halfulp's worker. It is damaged."
        ) from error


def _apart(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Each in memory of its own: the file format refuses tensors that share theirs."""
    seen: set[int] = set()
    found: list[torch.Tensor] = []
    for tensor in tensors:
        key = tensor.untyped_storage().data_ptr()
        found.append(tensor.clone() if key in seen else tensor)
        seen.add(key)
    return found


def _exactly(stream: IO[bytes], count: int) -> bytes | None:
    parts: list[bytes] = []
    while count:
        part = stream.read(min(count, 1 << 24))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
