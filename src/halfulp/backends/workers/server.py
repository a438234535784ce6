"""The program of a worker: implements targets of one backend and runs them as it is told.

Whatever the backend prints goes to the log: the pipe that messages travel on is taken away from it before anything is imported.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import IO, Any


def main(name: str, limit_bytes: str = "0") -> None:
    """Serve until the other side closes the pipe."""
    from halfulp.process.pipes import taken_pipes

    questions, answers = taken_pipes()
    from halfulp.process.lifeline import follow

    follow()
    if int(limit_bytes):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(limit_bytes), int(limit_bytes)))
    warnings.simplefilter("ignore")
    _serve(name, questions, answers)


def _serve(name: str, questions: IO[bytes], answers: IO[bytes]) -> None:
    from halfulp.backends.registry import adapter_named
    from halfulp.backends.workers.wire import Message, receive, send
    from halfulp.errors import HalfulpError

    worker = _Worker(adapter_named(name))
    send(answers, Message({"ready": True, "fingerprint": worker.fingerprint(), "unusable": worker.adapter.unusable()}))
    while (question := receive(questions)) is not None:
        try:
            answer = worker.answer(question)
        except MemoryError as error:
            answer = Message({"error": "MemoryError", "words": str(error) or "out of memory"})
        except Exception as error:
            answer = Message({"error": type(error).__name__, "words": str(error)[:4000]})
        try:
            send(answers, answer)
        except Exception as error:  # a dtype that can't be sent: nothing was written yet
            is_ours = isinstance(error, HalfulpError)
            words = str(error) if is_ours else f"Got a result that can't be sent: {type(error).__name__}: {error}."
            send(answers, Message({"error": "Unsupported", "words": words}))


class _Worker:
    """Holds what was built."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self._programs: dict[int, Any] = {}

    def fingerprint(self) -> dict[str, str]:
        try:
            return dict(self.adapter.fingerprint())
        except Exception as error:
            return {"fingerprint": f"failed: {type(error).__name__}"}

    def answer(self, question: Any) -> Any:
        from halfulp.backends.workers.wire import Message

        header = question.header
        for number in header["forget"]:
            self._programs.pop(number, None)
        if header["do"] == "build":
            return self._build(header, question)
        program = self._programs[header["program"]]
        if header["do"] == "run":
            results = program.run(list(question.tensors))
            return Message({"nesting": _as_json(program.nesting(results))}, [result.contiguous() for result in results])
        watched = program.watch(list(question.tensors))
        values = [{"op": value.op, "module": value.module, "source": value.source, "inputs": value.inputs} for value in watched.values]
        tensors = [value.tensor.contiguous() for value in watched.values] + [output.contiguous() for output in watched.outputs]
        tensors += [weight.detach().contiguous() for weight in watched.weights.values()]
        header = {"values": values, "outputs": len(watched.outputs), "weights": list(watched.weights), "notes": watched.notes}
        return Message({**header, "nesting": _as_json(program.nesting(watched.outputs))}, tensors)

    def _build(self, header: Any, question: Any) -> Any:
        import cloudpickle
        import torch

        from halfulp.backends.workers.wire import Message

        sys.path += [item for item in header["paths"] if item not in sys.path]
        target, arguments, keywords = cloudpickle.loads(question.attachment)
        with torch.no_grad():
            program = self.adapter.build(target, arguments, keywords, header["options"])
        number = header["program"]
        self._programs[number] = program
        return Message({"built": number, "watch": program.watch is not None, "remarks": program.remarks})


def _as_json(structure: Any) -> Any:
    """The nesting of results as JSON; None for one result, or a tuple of several (of any kind: names of its places are lost).

    Raises:
        Unsupported: it has none: keys that are no text, types of the program's own.
    """
    from collections import namedtuple

    from torch.utils._pytree import treespec_dumps, treespec_loads

    from halfulp.errors import Unsupported

    if structure is None:
        return None
    try:
        text = treespec_dumps(structure)
        if treespec_loads(text) == structure:
            return json.loads(text)
    except Exception:  # whatever a type without a name makes of it
        text = ""
    # PyTorch calls the type of every named tuple `namedtuple`.
    flat_tuple = structure.num_nodes == structure.num_leaves + 1 and structure.type in (tuple, namedtuple)
    if flat_tuple and structure.num_leaves > 1:
        return None
    raise Unsupported(
        f"Got results nested as {str(structure)[:200]}. Needed: tuples, lists, and dicts with strings as keys. The nesting is sent as JSON. Return only these."
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
