"""TraceWriter: puts a trace on disk while it is made, so that memory stays bounded and a killed run leaves what it had.

The folder is called NAME.partial until everything is written; only then it gets its name.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import TraceError
from .fingerprint import Fingerprint
from .shards import Place, ShardWriter
from .trace import SCHEMA, Ref, Step, Value

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
MANIFEST, RECORDS, PARTIAL = "manifest.json", "records.jsonl", ".partial"


class TraceWriter:
    """Writes one trace.

    Args:
        path: the folder to make; must not exist. level: see `Trace`. fingerprint: of this process.
        rank: of a distributed run.

    Raises:
        TraceError: the folder exists, or can't be made.
    """

    def __init__(self, path: str | Path, *, level: str, fingerprint: Fingerprint, rank: int | None = None) -> None:
        self.path = Path(path)
        self.folder = self.path.with_name(self.path.name + PARTIAL)
        if self.path.exists():
            raise TraceError(
                f"Got {self.path}, which exists. Needed: a new folder. A trace is never written over another. "
                f"Remove it, or choose another name."
            )
        if self.folder.exists():
            shutil.rmtree(self.folder)  # what an interrupted run of the same name left
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise TraceError(
                f"Got {type(error).__name__} making {self.folder}: {error.strerror}. Needed: a folder to write the trace to. "
                "Nothing was recorded. Choose another path."
            ) from error
        self._head: dict[str, Any] = {
            "schema": SCHEMA, "level": level, "rank": rank, "fingerprint": json.loads(fingerprint.to_json()),
        }  # fmt: skip
        self._write_manifest({"complete": False})
        self._records = (self.folder / RECORDS).open("w", encoding="utf-8")
        self._shards = ShardWriter(self.folder)
        self.values = 0
        self.steps = 0

    @property
    def bytes_written(self) -> int:
        """Bytes of tensors so far."""
        return self._shards.bytes_written

    def store(self, dtype: str, shape: tuple[int, ...], values: npt.NDArray[np.generic], *, elements: int) -> Place:
        """Write the elements of the next value; its record follows with `add_value`."""
        return self._shards.add(f"value-{self.values}", dtype, shape, values, elements=elements)

    def add_value(self, value: Value) -> None:
        """Write the record of a value, whose number is how many came before."""
        entry: dict[str, Any] = {
            "value": value.number, "role": value.role, "name": value.name, "dtype": value.dtype, "shape": value.shape,
            "strides": value.strides, "device": value.device, "hash": value.hash, "statistics": value.statistics,
        }  # fmt: skip
        if value.place is not None:
            entry["place"] = [value.place.shard, value.place.begin, value.place.end, value.place.elements]
            self._shards.flush()
        if value.placements:
            entry["placements"] = value.placements
        self._line(entry)
        self.values += 1

    def add_step(self, step: Step) -> None:
        """Write the record of a step and hand it to the operating system."""
        self._line({
            "step": step.index, "kind": step.kind, "phase": step.phase, "op": step.op, "module": step.module, "call": step.call,
            "source": step.source, "arguments": encoded(step.arguments), "keywords": encoded(step.keywords), "outputs": step.outputs,
            "forward": step.forward,
        })  # fmt: skip
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
        self._records.close()
        self._shards.close()
        if fingerprint is not None:
            self._head["fingerprint"] = json.loads(fingerprint.to_json())
        content: dict[str, Any] = {"complete": complete, "named": named, "notes": list(notes), "values": self.values, "steps": self.steps}
        content["records_sha256"] = sha256_of(self.folder / RECORDS)
        self._write_manifest(content)
        if not complete:
            return self.folder
        self.folder.rename(self.path)
        return self.path

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
