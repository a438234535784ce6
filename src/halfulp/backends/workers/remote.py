"""Remote: an adapter whose work is done by a worker process."""

from __future__ import annotations

import io
import json
import os
import sys
import sysconfig
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import treespec_loads

from ...errors import Unsupported, WorkerError
from ...recording.transcript import Transcribed
from ..adapter import Adapter
from ..interface import Availability
from ..program import Program, Results, Tensors, Watched
from .wire import DTYPES, Message
from .worker import ANSWER_S, Worker, raised

_numbers = count()


class Remote(Adapter):
    """A built-in backend in an environment of its own.

    Args:
        adapter: what it would be in this process: name, dtypes and options are its. python: the interpreter of the environment.
        answer_s, memory_bytes: see `Worker`.
    """

    computes_here = False

    def __init__(self, adapter: Adapter, python: Path, *, answer_s: float = ANSWER_S, memory_bytes: int | None = None) -> None:
        self.name, self.title, self.dtypes, self.options = adapter.name, adapter.title, adapter.dtypes, adapter.options
        self.builds_slowly, self.rounds_constants = adapter.builds_slowly, adapter.rounds_constants
        self._as_here = adapter
        self.worker = Worker(adapter.name, python, answer_s=answer_s, memory_bytes=memory_bytes, environment=_variables())

    def dtypes_with(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """As in this process."""
        return self._as_here.dtypes_with(options)

    def availability(self) -> Availability:
        """Whether the process can be started."""
        try:
            self.worker.start()
        except WorkerError as error:
            return Availability(reason=str(error))
        version = next(iter(self.worker.fingerprint.values()), "")
        return Availability("" if self.worker.unusable else "own environment", version, self.worker.unusable)

    def fingerprint(self) -> dict[str, str]:
        """What the worker says."""
        self.worker.start()
        return dict(self.worker.fingerprint)

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`: the target travels by cloudpickle into our own process, tensors as their bytes."""
        import cloudpickle

        try:
            sent = _Saved(target) if isinstance(target, torch.export.ExportedProgram) else target
            request = cloudpickle.dumps((sent, arguments, dict(keywords)))
        except Exception as error:
            raise Unsupported(
                f"Got {type(target).__name__}, which can't be sent to another process ({type(error).__name__}: {error}). Needed: an op, function or model that "
                f"can be pickled. {self.name} runs in an environment of its own. Install {self.name} in this one, or pass a module or function that can be pickled."
            ) from error
        held = _Held(self.worker, request, dict(options))
        header = held.built()
        return Program(held.run, watch=held.watch if header["watch"] else None, remarks=tuple(header["remarks"]))


class _Saved:
    """An exported program on its way: it has a file format of its own, and can't be pickled."""

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        file = io.BytesIO()
        torch.export.save(program, file)
        self._content = file.getvalue()

    def __reduce__(self) -> Any:
        return _loaded, (self._content,)


def _loaded(content: bytes) -> torch.export.ExportedProgram:
    return torch.export.load(io.BytesIO(content))


def _own_paths() -> list[str]:
    """Where this process finds modules beside installed ones: functions and classes travel by the name of their module."""
    installed = ("site-packages", "dist-packages", sysconfig.get_path("stdlib"))
    return [word or str(Path.cwd()) for word in sys.path if not any(part in word for part in installed)]


def _variables() -> dict[str, str]:
    """Threads wait passively in workers: they share the cores with this process. Whatever the user says about threads holds there too."""
    return {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE"), "PYTHONUNBUFFERED": "1"}


class _Held:
    """One program in a worker; built again when the worker had to be started again."""

    def __init__(self, worker: Worker, request: bytes, options: Mapping[str, str]) -> None:
        self._worker, self._request, self._options = worker, request, options
        self._number = next(_numbers)
        self._generation = -1

    def __del__(self) -> None:
        if self._generation == self._worker.generation:
            self._worker.forget(self._number)

    def built(self) -> Mapping[str, Any]:
        self._worker.start()
        self._generation = self._worker.generation
        message = Message(
            {"do": "build", "program": self._number, "options": self._options, "paths": _own_paths()}, attachment=self._request
        )
        answer = self._worker.ask(message)
        assert answer is not None
        return raised(answer, self._worker.name)

    def run(self, tensors: Tensors) -> Tensors:
        answer = self._asked("run", tensors)
        return Results(answer.tensors, _nesting(answer))

    def watch(self, tensors: Tensors) -> Watched:
        answer = self._asked("watch", tensors)
        entries, results = answer.header["values"], int(answer.header["outputs"])
        values = [
            Transcribed(tensor, entry["op"], entry["module"], entry["source"], inputs=tuple(entry["inputs"]))
            for entry, tensor in zip(entries, answer.tensors)
        ]
        rest = list(answer.tensors[len(entries) :])
        weights: dict[str, torch.Tensor] = dict(zip(answer.header["weights"], rest[results:]))
        return Watched(values, Results(rest[:results], _nesting(answer)), weights, tuple(answer.header["notes"]))

    def _asked(self, what: str, tensors: Tensors) -> Message:
        for tensor in tensors:
            if str(tensor.dtype) not in DTYPES:
                raise Unsupported(
                    f"Got {str(tensor.dtype).removeprefix('torch.')} for {self._worker.name}. Needed: numbers that are not quantized. Only their bytes are sent to the backend's process, without a scale. Dequantize the inputs first."
                )
        while True:
            answer = self._worker.ask(Message({"do": what, "program": self._number}, tensors), self._generation)
            if answer is not None:
                raised(answer, self._worker.name)
                return answer
            self.built()  # in the process that was started since


def _nesting(answer: Message) -> Any:
    found = answer.header["nesting"]
    return None if found is None else treespec_loads(json.dumps(found))
