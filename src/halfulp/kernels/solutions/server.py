"""The program inside a sandbox: loads a solution, makes the calls that it is asked for, and reports what it saw. `Sandbox` starts it.

A solution runs in the same process and can forge every report. So results are judged elsewhere, against a reference that never comes here,
and facts (what was called, written, replaced) count as evidence against a solution, never for it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import sys
import time
import warnings
from pathlib import Path
from typing import Any


def main(folder: str, limits: str, place: str = "", hidden: str = "[]") -> None:
    """Serve until the other side closes the pipe.

    Args:
        folder: the only one in which files may be written. limits: JSON of the keywords of `limit`.
        place: where the solution runs, see `place_of`. hidden: JSON of the paths of files that it may not read.
    """
    from halfulp.process.pipes import taken_pipes

    questions, answers = taken_pipes()
    from halfulp.process.confinement import confine, limit

    from .place import CUDA, HERE, INTERPRETER, device_files, open_device

    secrets = [Path(path) for path in json.loads(hidden)]
    held = confine(Path(folder), device_files() if place == CUDA else (), secrets)  # before there are threads
    from halfulp.process.lifeline import follow

    follow()
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    from halfulp.backends.workers.wire import Message, receive, send

    bounds = json.loads(limits)
    if place == CUDA:
        bounds["memory_bytes"] += open_device()
    elif place != HERE:
        from ..problems.stand_in import pretend

        pretend()
        if place == INTERPRETER:
            with contextlib.suppress(ImportError, AttributeError):  # there is no Triton, or one before 3.2
                from .triton_interpreter import prepare

                prepare()
    held += limit(**bounds)
    host = _Host(place)
    send(answers, Message({"ready": True, "fingerprint": {"held": json.dumps(held)}, "unusable": ""}))
    while (question := receive(questions)) is not None:
        try:
            answer = host.answer(question)
        except MemoryError as error:
            answer = Message({"error": "MemoryError", "words": str(error) or "out of memory"})
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            answer = Message({"error": type(error).__name__, "words": _told(error), "attempts": list(host.attempts)})
        try:
            send(answers, answer)
        except TypeError as error:  # what it returned can't be sent, and nothing was
            send(answers, Message({"error": "TypeError", "words": str(error), "attempts": list(host.attempts)}))


def _told(error: BaseException) -> str:
    """An exception with the line of the solution where it was raised."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith("solution.py")]
    line = f" (line {frames[-1].lineno}: {frames[-1].line})" if frames else ""
    return f"{str(error)[:2000]}{line}"


class _Host:
    """Holds the solution.

    Args:
        place: where it runs.
    """

    def __init__(self, place: str = "") -> None:
        from .place import CUDA, HERE

        self.place, self.pretends = place, place not in (HERE, CUDA)
        self.target: Any = None
        self.module: Any = None
        self.secrets: tuple[str, ...] = ()
        self.secret_modules: set[str] = set()
        self.attempts: dict[str, None] = {}
        self._buffers: list[Any] = []
        self._state: dict[str, Any] = {}
        self._returned: list[tuple[Any, Any]] = []
        self._watching = False
        self._guarded = _guarded()
        sys.addaudithook(self._audit)

    def answer(self, question: Any) -> Any:
        header = question.header
        return (
            self._load(header)
            if header["do"] == "load"
            else self._build(header, question)
            if header["do"] == "build"
            else self._call(header, question)
        )

    def _load(self, header: Any) -> Any:
        """Run the file of the solution; returns the names that it defines."""
        from halfulp.backends.workers.wire import Message

        from .decoy import put_decoy

        self.secrets = tuple(header["secrets"])
        stems = {Path(path).stem for path in self.secrets if path.endswith(".py")} - {"solution"} - sys.stdlib_module_names
        self.secret_modules = {stem for stem in stems if importlib.util.find_spec(stem) is None}  # else another module has that name
        sys.path.insert(0, str(Path(header["file"]).parent))
        put_decoy(self.attempts)
        spec: Any = importlib.util.spec_from_file_location("solution", header["file"])
        self.module = importlib.util.module_from_spec(spec)
        sys.modules["solution"] = self.module
        with self._watched():
            spec.loader.exec_module(self.module)
        names = [name for name in vars(self.module) if not name.startswith("_")]
        return Message({"names": names, "interpreted": self.pretends and "triton" in sys.modules, **self._facts()})

    def _build(self, header: Any, question: Any) -> Any:
        """Make the module, or take the function; returns its state."""
        import torch

        from halfulp.backends.workers.wire import Message

        from ..problems.calls import seeded, state_of
        from .packing import pack, unpack
        from .place import CUDA, given_to, taken_from

        found = vars(self.module)[header["name"]]
        with self._watched():
            if isinstance(found, type):
                with seeded(header["seed"]):
                    found = found(*unpack(header["init"], given_to(self.place, question.tensors)))
            if self.place == CUDA and isinstance(found, torch.nn.Module):
                found = found.to(self.place)
        self.target, self._state = found, {}
        tensors: list[torch.Tensor] = []
        own = state_of(found)
        state = pack(own, tensors)
        transient = sorted(own.keys() - found.state_dict().keys()) if isinstance(found, torch.nn.Module) else []
        return Message({"state": state, "transient": transient, **self._facts()}, taken_from(self.place, tensors))

    def _call(self, header: Any, question: Any) -> Any:
        """One call: its results, and what else it did."""
        import torch

        from halfulp.backends.workers.wire import Message

        from ..problems.calls import call, copied, differentiated, seeded
        from ..problems.facts import Ops, aliased, same, written
        from .packing import pack, unpack
        from .place import given_to, taken_from
        from .streams import behind

        state, arguments, keywords = unpack(header["given"], given_to(self.place, question.tensors))
        if header["same_memory"]:
            state, arguments = self._in_same_memory((state, arguments))
        before = [tensor.clone() for tensor in _tensors((state, arguments))]
        sent: list[torch.Tensor] = []
        with contextlib.ExitStack() as stack:
            stack.enter_context(seeded(header["seed"]))
            stack.enter_context(_lifted(header["lifted"]))
            if header["poisoned"]:
                from halfulp.cases.poison import poisoned

                stack.enter_context(poisoned())
            ops, kept = Ops(), False
            if header["watched"]:
                stack.enter_context(ops)
            stack.enter_context(self._watched())
            self._load_state(state)
            if header["stream"]:
                arguments = stack.enter_context(behind(arguments, header["stream"]))
            with torch.set_grad_enabled(bool(header["gradients"])):
                if header["gradients"]:
                    results: Any = differentiated(
                        self.target, state, tuple(arguments), keywords, training=header["training"], way=header["gradients"]
                    )
                else:
                    found, buffers = call(self.target, state, tuple(arguments), keywords, training=header["training"])
                    kept = aliased(buffers, _tensors(arguments))
                    results = (found, buffers) if header["training"] or header["buffers"] else found
                    if header["repeated_s"]:
                        results = self._farthest(results, (state, before[len(_tensors(state)) :], arguments, keywords), header)
                    if header["stream"]:
                        (results,) = copied((results,))  # in the order of the stream
        given = _tensors((state, arguments))
        changed = written(before, given)
        first = len(_tensors(state))
        updated = {} if header["gradients"] else {place - first: given[place] for place in changed if place >= first}
        packed = pack((results, updated), sent)
        returned = [tensor.clone() for tensor in sent]
        sent = taken_from(self.place, returned)
        overwritten = any(not same(old, new) for old, new in self._returned)
        # Memory of the inputs, which a solution returns where it updates them, changes with the next inputs.
        self._returned = [(tensor.clone(), tensor) for tensor in _tensors(results) if not aliased((tensor,), given)]
        facts: dict[str, Any] = {
            "overwritten": overwritten,
            "types": sorted({type(tensor).__name__ for tensor in _tensors(results)} - {"Tensor", "Parameter"}),
            "written": changed,
            "aliased": aliased(results, given),
            "kept": kept,
            "ops": ops.names,
            "sizes": ops.sizes,
            "exact": sorted(ops.exact),
            "whole": list(ops.whole),
            "functions": ops.functions,
        }
        if header["settled"]:
            time.sleep(header["settled"])
            facts["late"] = any(not same(old, new) for old, new in zip(returned, _tensors(results)))
        return Message({"results": packed, **facts, **self._facts()}, sent)

    def _load_state(self, state: dict[str, Any]) -> None:
        """Load other parameters as a checkpoint is: what a module derives from them it may renew only then."""
        import torch

        from ..problems.facts import same

        known = self._state
        is_known = known.keys() == state.keys() and all(
            known[name].dtype is tensor.dtype and same(known[name], tensor) for name, tensor in state.items()
        )
        if is_known or not isinstance(self.target, torch.nn.Module):
            return
        with contextlib.suppress(Exception):  # of its own loading, for one
            self.target.load_state_dict({**self.target.state_dict(), **state}, strict=False)
        self._state = {name: tensor.clone() for name, tensor in state.items()}

    def _farthest(self, results: Any, given: Any, header: Any) -> Any:
        """Among as many calls on the same inputs as time allows, the results that differ most from the first."""
        from ..problems.calls import call, seeded, with_leaves
        from ..problems.facts import distance

        state, tensors, arguments, keywords = given
        first, most = [tensor.clone() for tensor in _tensors(results)], 0.0
        start = time.monotonic()
        while time.monotonic() < start + header["repeated_s"]:
            fresh = with_leaves(tuple(arguments), {place: tensor.clone() for place, tensor in enumerate(tensors)})
            with seeded(header["seed"]):
                again, _ = call(self.target, state, fresh, keywords, training=False)
            if (far := distance(first, _tensors(again))) > most:
                from halfulp.cases.trees import tree_map

                results, most = tree_map(lambda item: item.clone() if hasattr(item, "clone") else item, again), far
        return results

    def _in_same_memory(self, arguments: Any) -> Any:
        """Parameters and arguments at the addresses used in the previous call, where shapes and dtypes are the same."""
        given = _tensors(arguments)
        kept = self._buffers
        if len(kept) == len(given) and all(old.shape == new.shape and old.dtype == new.dtype for old, new in zip(kept, given)):
            places = iter(kept)
            for old, new in zip(kept, given):
                old.copy_(new)
            import torch

            from halfulp.cases.trees import tree_map

            return tree_map(lambda item: next(places) if isinstance(item, torch.Tensor) else item, arguments)
        self._buffers = given
        return arguments

    def _facts(self) -> dict[str, Any]:
        return {
            "attempts": list(self.attempts),
            "patched": [name for name, (owner, key, was) in self._guarded.items() if not _is_still(getattr(owner, key, None), was)],
        }

    @contextlib.contextmanager
    def _watched(self) -> Any:
        from ..problems.stand_in import pretended

        self._watching = True
        try:
            with pretended() if self.pretends else contextlib.nullcontext():
                yield
        finally:
            self._watching = False

    def _audit(self, event: str, arguments: Any) -> None:
        """Note what the code of the solution tries that no kernel needs; refuse to read the problem."""
        if not self._watching or len(self.attempts) > 20:
            return
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            path = os.path.realpath(os.fspath(arguments[0]))
            if path in self.secrets:
                self.attempts["to read the problem's file"] = None
                raise PermissionError(f"{path} is not for solutions")
        elif event == "import" and str(arguments[0]).partition(".")[0] in self.secret_modules:
            self.attempts["to read the problem's file"] = None
        elif event == "socket.connect" and arguments[0].family in (socket.AF_INET, socket.AF_INET6):  # and no pipe to its own process
            self.attempts["to reach the network"] = None


def _guarded() -> dict[str, tuple[Any, str, Any]]:
    """The functions that compare, time and draw: a solution has no reason to replace them."""
    import random

    import numpy as np
    import torch

    names = {
        torch: "allclose isclose equal manual_seed randn rand", torch.testing: "assert_close", torch.cuda: "synchronize Event",
        torch.Tensor: "__eq__ allclose", np: "allclose", np.testing: "assert_allclose", time: "time perf_counter perf_counter_ns monotonic",
        random: "seed",
    }  # fmt: skip
    places = {f"{owner.__name__}.{key}": (owner, key) for owner, keys in names.items() for key in keys.split()}
    return {name: (owner, key, getattr(owner, key, None)) for name, (owner, key) in places.items()}


def _is_still(now: Any, was: Any) -> bool:
    """Whether a function is unchanged, or was wrapped by PyTorch itself: importing its compiler wraps `torch.manual_seed`."""
    import torch

    code = getattr(now, "__code__", None)
    by_torch = code is not None and Path(code.co_filename).is_relative_to(Path(torch.__file__).parent)
    return now is was or (by_torch and getattr(now, "__wrapped__", None) is was)


def _lifted(declared: str) -> contextlib.AbstractContextManager[Any]:
    """The setting of a run in float64, made as `Case` makes one: dtypes named in the code become float64."""
    if not declared:
        return contextlib.nullcontext()
    import torch

    from halfulp.cases import Retyping
    from halfulp.cases.precision_modes import lifted_dtypes
    from halfulp.cases.sides import taken_apart
    from halfulp.floats import format_named

    stack = contextlib.ExitStack()
    stack.enter_context(taken_apart())
    form = format_named(declared)
    formats = lifted_dtypes(form)
    stack.enter_context(Retyping(formats, torch.float64, getattr(torch, form.name, torch.float32)))
    if "triton" in sys.modules:
        from .triton_interpreter import lifted

        stack.enter_context(lifted([str(dtype).removeprefix("torch.") for dtype in formats]))
    return stack


def _tensors(value: Any) -> list[Any]:
    from halfulp.cases.trees import tensors_of

    return list(tensors_of(value))


if __name__ == "__main__":
    main(*sys.argv[1:])
