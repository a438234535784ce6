"""TraceWriter: puts a trace on disk while it is made, so that memory stays bounded and a killed run leaves what it had.

The folder is called NAME.partial until everything is written; only then it gets its name. While it is written it holds a lock (`locking`):
a second writer of that name is refused, and what an interrupted run left is replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from ..files import reason_of
from .fingerprint import Fingerprint
from .lock import claimed
from .shards import SHARD, Place, ShardWriter
from .trace import SCHEMA, Ref, Step, Value

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
MANIFEST, RECORDS, PARTIAL = "manifest.json", "records.jsonl", ".partial"


class TraceWriter:
    """Writes one trace.

    Args:
        path: the folder to make; must not exist. level: see `Trace`. fingerprint: of this process.
        rank: of a distributed run.

    Raises:
        TraceError: the folder exists, can't be made, or is written by somebody else; NAME.partial is there and is no trace.
    """

    def __init__(self, path: str | Path, *, level: str, fingerprint: Fingerprint, rank: int | None = None) -> None:
        self.path = Path(path)
        self.folder = self.path.with_name(self.path.name + PARTIAL)
        self._refuse_existing()
        self._lock = claimed(self.folder, _is_left_over)
        try:
            self._refuse_existing()  # another recording may have ended between the question and the claim
        except TraceError:
            self._lock.release()
            self.folder.rmdir()
            raise
        self._head: dict[str, Any] = {
            "schema": SCHEMA, "level": level, "rank": rank, "fingerprint": json.loads(fingerprint.to_json()),
        }  # fmt: skip
        self.values = 0
        self.steps = 0
        with self._writing():
            self._write_manifest({"complete": False})
            self._records = (self.folder / RECORDS).open("w", encoding="utf-8")
        self._shards = ShardWriter(self.folder)

    def _refuse_existing(self) -> None:
        if self.path.exists():
            raise TraceError(
                f"Got {self.path}, which exists. Needed: a new folder. A trace is never written over another. "
                f"Remove it, or choose another name."
            )

    @property
    def bytes_written(self) -> int:
        """Bytes of tensors so far."""
        return self._shards.bytes_written

    def store(self, dtype: str, shape: tuple[int, ...], values: npt.NDArray[np.generic], *, elements: int) -> Place:
        """Write the elements of the next value; its record follows with `add_value`."""
        with self._writing():
            return self._shards.add(f"value-{self.values}", dtype, shape, values, elements=elements)

    def add_value(self, value: Value) -> None:
        """Write the record of a value, whose number is how many came before."""
        entry: dict[str, Any] = {
            "value": value.number, "role": value.role, "name": value.name, "dtype": value.dtype, "shape": value.shape,
            "strides": value.strides, "device": value.device, "hash": value.hash, "statistics": value.statistics,
        }  # fmt: skip
        if value.place is not None:
            entry["place"] = [value.place.shard, value.place.begin, value.place.end, value.place.elements]
        if value.placements:
            entry["placements"] = value.placements
        with self._writing():
            if value.place is not None:
                self._shards.flush()
            self._line(entry)
        self.values += 1

    def add_step(self, step: Step) -> None:
        """Write the record of a step and hand it to the operating system."""
        entry = {
            "step": step.index, "kind": step.kind, "phase": step.phase, "op": step.op, "module": step.module, "call": step.call,
            "source": step.source, "arguments": encoded(step.arguments), "keywords": encoded(step.keywords), "outputs": step.outputs,
            "forward": step.forward,
        }  # fmt: skip
        with self._writing():
            self._line(entry)
            self._records.flush()
        self.steps += 1

    def close(
        self, *, named: dict[str, int], notes: tuple[str, ...], fingerprint: Fingerprint | None = None, complete: bool = True
    ) -> Path:
        """Finish the trace: fill in headers, say what is in it, give the folder its name.

        Args:
            named, notes: see `Trace`. fingerprint: in place of the one at the start.
            complete: False leaves it marked partial, under its partial name (an interrupted run).
        """
        if fingerprint is not None:
            self._head["fingerprint"] = json.loads(fingerprint.to_json())
        content: dict[str, Any] = {"complete": complete, "named": named, "notes": list(notes), "values": self.values, "steps": self.steps}
        try:
            with self._writing():
                self._records.close()
                self._shards.close()
                content["records_sha256"] = sha256_of(self.folder / RECORDS)
                self._write_manifest(content)
                if not complete:
                    return self.folder
                self._lock.release()
                self.folder.rename(self.path)
            return self.path
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def _writing(self) -> Generator[None]:
        """What the operating system refuses is said in one line; what was written so far can be read."""
        try:
            yield
        except OSError as error:
            raise TraceError(
                f"Got an error while writing {self.path.name} ({reason_of(error)}). Needed: a folder that can be written to. What was "
                f"recorded so far is in {self.folder}, and can be read. Make room, or choose another path."
            ) from error

    def _write_manifest(self, content: dict[str, Any]) -> None:
        temporary = self.folder / (MANIFEST + ".new")
        temporary.write_text(json.dumps({**self._head, **content}, indent=1), encoding="utf-8")
        temporary.replace(self.folder / MANIFEST)

    def _line(self, entry: dict[str, Any]) -> None:
        try:
            text = _ENCODER.encode(entry)
        except ValueError:  # a number that strict JSON can't say
            text = _ENCODER.encode(_finite(entry))
        self._records.write(text + "\n")


def _is_left_over(folder: Path) -> bool:
    """Whether a folder is a trace that was not finished, and nothing else: only then may another be written in its place."""
    try:
        if not any(folder.iterdir()) and not folder.is_symlink():
            return True  # its writer was killed before the first word
        named = all(path.name in (MANIFEST, MANIFEST + ".new", RECORDS) or SHARD.fullmatch(path.name) for path in folder.iterdir())
        head = json.loads((folder / MANIFEST).read_bytes())
        return named and not folder.is_symlink() and isinstance(head, dict) and head.get("complete") is False and "fingerprint" in head
    except (OSError, ValueError, RecursionError):
        return False


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def encoded(tree: Any) -> Any:
    """Arguments as JSON: a `Ref` becomes {"ref": n}, a tuple a list, non-finite numbers {"number": "inf"}."""
    if isinstance(tree, Ref):
        return {"ref": tree.number}
    if isinstance(tree, (list, tuple)):
        return [encoded(part) for part in tree]
    if isinstance(tree, dict):
        return {str(key): encoded(part) for key, part in tree.items()}
    if isinstance(tree, complex):
        return {"number": str(tree)}
    if isinstance(tree, float) and not math.isfinite(tree):
        return {"number": str(tree)}
    return tree


def decoded(tree: Any) -> Any:
    """What `encoded` was given."""
    if isinstance(tree, list):
        return [decoded(part) for part in tree]
    if isinstance(tree, dict):
        if tree.keys() == {"ref"}:
            return Ref(int(tree["ref"]))
        if tree.keys() == {"number"}:
            word = str(tree["number"])
            return complex(word) if "j" in word else float(word)
        return {key: decoded(part) for key, part in tree.items()}
    return tree


def _finite(tree: Any) -> Any:
    """Statistics may be infinite, which strict JSON can't say."""
    if isinstance(tree, float) and not math.isfinite(tree):
        return {"number": str(tree)}
    if isinstance(tree, dict):
        return {key: _finite(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_finite(part) for part in tree]
    return tree
