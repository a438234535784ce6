"""The laws: each is a function that raises `Broken` with what was seen."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from ...errors import HalfulpError
from ..interface import Availability, Backend
from ..knobs.knob import Knob, NotApplicable
from ..ops import OPS
from .broken import Broken
from .trial import RIGHT_FUNCTION, Trial, difference, exact, leaves, same

WORKING_FLOAT64 = 2.0**-40
"""A float64 result is computed in float64: one in float32 is off by 2**-25, one in float64 by 2**-50 times a few hundred terms."""


def _has_the_interface(trial: Trial) -> None:
    backend: Any = trial.backend
    if not isinstance(backend, Backend):
        raise Broken("it lacks one of name, availability, fingerprint, knobs, implement")
    if not isinstance(backend.name, str) or not backend.name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Broken(f"its name is {backend.name!r}, not a nonempty string")


def _is_available(trial: Trial) -> None:
    found: Any = trial.backend.availability()
    if not isinstance(found, Availability):
        raise Broken(f"availability() gives {type(found).__name__}, not an Availability")
    if not found:
        reason = f"it says that it isn't available: {found.reason}" if found.reason else "it says that it isn't available, but not why"
        raise Broken(reason)
    if found.reason:
        raise Broken(f"it says that it is available, but gives a reason why it isn't: {found.reason}")
    if trial.backend.availability() != found:
        raise Broken("two calls to availability() give different answers")
    try:
        trial.first()
    except NotApplicable as nothing:
        raise Broken(f"it says that it is available, but computes none of the ops {', '.join(trial.names)}") from nothing


def _fingerprint_says(trial: Trial) -> None:
    found: Any = trial.backend.fingerprint()
    if not isinstance(found, Mapping) or not found:
        raise Broken(f"fingerprint() gives {found!r}, not a nonempty mapping from strings to strings")
    for name, text in dict(found).items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise Broken(f"the entry {name!r}: {text!r} is not a pair of strings")
    if dict(trial.backend.fingerprint()) != dict(found):
        raise Broken("two calls to fingerprint() give different answers")


def _computes_the_op(trial: Trial) -> None:
    wrong: list[str] = []
    for name in trial.names:
        with contextlib.suppress(NotApplicable):
            for size in (0, 2):
                seen = difference(*trial.on(name, size=size))
                if seen:
                    wrong.append(f"{name}: {seen}")
                    break
    if wrong:
        raise Broken("; ".join(wrong))


def _dtype_comes_back(trial: Trial) -> None:
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        with contextlib.suppress(NotApplicable):
            implementation, module, activations = trial.first(dtype=dtype)
            result = leaves(implementation(*activations))[0]
            if not isinstance(result, torch.Tensor) or result.dtype != dtype:
                raise Broken(f"{dtype} goes in and {getattr(result, 'dtype', type(result).__name__)} comes back")
            if difference(*trial.on(module.op_name)):
                continue  # it is of another function, which is another law
            right = exact(module, activations)[0]
            apart = float(torch.linalg.vector_norm(result.double() - right) / torch.linalg.vector_norm(right))
            if dtype == torch.float64 and not apart <= WORKING_FLOAT64:
                raise Broken(f"float64 goes in and comes back, but was computed in lower precision: the relative error is {apart:.2g}")
            if not apart <= RIGHT_FUNCTION:
                raise Broken(f"{dtype} goes in and comes back, but the result has a relative error of {apart:.2g}")


def _kind_comes_back(trial: Trial) -> None:
    implementation, _, activations = trial.first()
    tensors, arrays = implementation(*activations), implementation(*(activation.numpy() for activation in activations))
    if not all(isinstance(leaf, torch.Tensor) for leaf in leaves(tensors)):
        raise Broken("tensors go in and something else comes back")
    if not all(isinstance(leaf, np.ndarray) for leaf in leaves(arrays)):
        raise Broken(f"arrays go in and {type(leaves(arrays)[0]).__name__} comes back")
    if leaves(arrays)[0].tobytes() != leaves(tensors)[0].numpy().tobytes():
        raise Broken("arrays and tensors with the same numbers give different numbers")


def _inputs_stay(trial: Trial) -> None:
    for name in trial.names:
        with contextlib.suppress(NotApplicable):
            implementation, module, activations = trial.on(name)
            before = [tensor.clone() for tensor in (*activations, *module.weights)]
            implementation(*activations)
            if not same(before, [*activations, *module.weights]):
                raise Broken(f"{name} changes what it is given")


def _memory_is_its_own(trial: Trial) -> None:
    for name in trial.names:
        with contextlib.suppress(NotApplicable):
            implementation, module, activations = trial.on(name)
            given = {tensor.untyped_storage().data_ptr() for tensor in (*activations, *module.weights)}
            first = leaves(implementation(*activations))
            if any(item.untyped_storage().data_ptr() in given for item in first):
                raise Broken(f"a result of {name} lies in the memory of its inputs")
            kept = [item.clone() for item in first]
            second = leaves(implementation(*(_shifted(activation) for activation in activations)))
            if not same(kept, first):
                raise Broken(f"a result of {name} changes when {name} is called again")
            if {item.untyped_storage().data_ptr() for item in first} & {item.untyped_storage().data_ptr() for item in second}:
                raise Broken(f"two results of {name} lie in the same memory")


def _shifted(tensor: torch.Tensor) -> torch.Tensor:
    return tensor + 1.0 if tensor.is_floating_point() else tensor.clone()


def _remembers_nothing(trial: Trial) -> None:
    for name in trial.names:
        with contextlib.suppress(NotApplicable):
            implementation, module, activations = trial.on(name)
            before = [leaf.clone() for leaf in leaves(implementation(*activations))]
            others = tuple(_shifted(activation) for activation in activations)
            seen = difference(implementation, module, others)
            if seen and not difference(implementation, module, activations):  # else it is of another function, which is another law
                raise Broken(f"{name}, called once more with other inputs, gives {seen}")
            after = leaves(implementation(*activations))
            if not same(before, after):
                raise Broken(f"{name} gives different numbers for the same inputs after a call with other inputs")


def _follows_weights(trial: Trial) -> None:
    for name in trial.names:
        if OPS[name].weights and OPS[name].kind == "product":
            with contextlib.suppress(NotApplicable):
                implementation, module, activations = trial.on(name)
                implementation(*activations)
                module.weights[0].data.mul_(-2.0)
                seen = difference(implementation, module, activations)
                if seen:
                    raise Broken(f"after the weights of {name} changed, it gives {seen}")
                return
    raise NotApplicable("none of its ops has weights")


def _takes_views(trial: Trial) -> None:
    implementation, module, activations = trial.first()
    views = tuple(torch.stack([activation, activation], -1)[..., 0] for activation in activations)
    seen = difference(implementation, module, views)
    if seen:
        raise Broken(f"on a view with gaps it gives {seen}")


def _refuses_what_it_lacks(trial: Trial) -> None:
    try:
        implementation = trial.backend.implement(object())
        implementation(torch.ones(2))
    except HalfulpError:
        pass
    except Exception as error:
        raise Broken(f"a bare object() as the target raises {type(error).__name__}, not one of halfulp's errors") from error
    else:
        raise Broken("it implements a bare object() instead of refusing it")


def _does_not_swallow(trial: Trial) -> None:
    implementation, module, activations = trial.first()
    shape = activations[0].shape
    fits_anything = module.op.kind == "indexing" or (len(activations) == 1 and not module.op.weights)
    wrong = ("no tensor" if fits_anything else torch.ones(*shape[:-1], shape[-1] + 1), *activations[1:])
    try:
        result = implementation(*wrong)
    except Exception:  # which one is for the backend to say
        return
    expected: Any = None
    with contextlib.suppress(Exception):
        expected = module(*wrong)
    if expected is None or leaves(result)[0].shape != leaves(expected)[0].shape:
        raise Broken("inputs that the op can't take give a result and no error")


class _Failing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        raise ValueError("this function fails")


def _failing_function(_x: Any) -> Any:
    raise ValueError("this function fails")


def _passes_errors_on(trial: Trial) -> None:
    for target in (_Failing(), _failing_function):
        try:
            result = trial.backend.implement(target)(torch.ones(2))
        except Exception:  # refused or passed on: both say that there is no result
            continue
        raise Broken(f"a function that raises gives {result!r}")


def _knobs_are_put_back(trial: Trial) -> None:
    found: Any = trial.backend.knobs()
    if not isinstance(found, tuple) or not all(isinstance(item, Knob) for item in found):
        raise Broken("knobs() does not return a tuple of Knob objects")
    implementation, module, activations = trial.first()
    before = [leaf.clone() for leaf in leaves(implementation(*activations))]
    for knob in found:
        if not knob.name or not knob.remedy:
            raise Broken(f"the knob {knob.detail!r} lacks a name or a remedy")
        if knob.unavailable() or knob.environment:
            continue
        try:
            turned = knob.applied(implementation)(*activations)
        except NotApplicable:
            continue
        except HalfulpError as reason:
            trial.left_out[f"knob {knob.detail}"] = (str(reason).splitlines() or [""])[0][:200]
            continue
        seen = "" if leaves(turned)[0].dtype != before[0].dtype else _shape_difference(turned, before)
        if seen:
            raise Broken(f"with {knob.detail} it gives {seen}")
        if not same(before, leaves(implementation(*activations))):
            raise Broken(f"after {knob.detail} was changed and put back, it gives different numbers")
    seen = difference(implementation, module, activations)
    if seen:
        raise Broken(f"after all knobs were tried, it gives {seen}")


def _shape_difference(result: Any, before: Sequence[torch.Tensor]) -> str:
    shapes = [list(leaf.shape) for leaf in leaves(result)]
    expected = [list(tensor.shape) for tensor in before]
    return "" if shapes == expected else f"results of shapes {shapes}, not {expected}"


def _is_quiet(trial: Trial) -> None:
    with _printed() as printed:
        implementation, _, activations = trial.first()
        implementation(*activations)
        trial.backend.availability()
        trial.backend.fingerprint()
        trial.backend.knobs()
    if printed:
        raise Broken(f"it prints {printed[0][:80]!r}, which would break programs that read halfulp's output as JSON")


@contextlib.contextmanager
def _printed() -> Generator[list[str]]:
    """What is written to the process's standard output inside, by Python or by what it calls; the list is filled at the end."""
    words: list[str] = []
    sys.stdout.flush()
    _flush_c()
    kept, stdout = os.dup(1), sys.stdout
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            with os.fdopen(os.dup(1), "w") as own:
                sys.stdout = own
                yield words
        finally:
            _flush_c()
            sys.stdout = stdout
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        words += [text for text in [file.read().decode(errors="replace").strip()] if text]


def _flush_c() -> None:
    """Write out what C's printf keeps back."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # Windows has no library of the process's own
        ctypes.CDLL(None).fflush(None)


LAWS: dict[str, Callable[[Trial], None]] = {
    "it has the interface": _has_the_interface,
    "what it says about being available is true": _is_available,
    "its fingerprint maps strings to strings, and is the same every time": _fingerprint_says,
    "it computes the op": _computes_the_op,
    "it computes in the dtype that goes in, and returns that dtype": _dtype_comes_back,
    "tensors give tensors and arrays give arrays, with the same numbers": _kind_comes_back,
    "inputs stay as they are": _inputs_stay,
    "results have memory of their own": _memory_is_its_own,
    "it remembers nothing": _remembers_nothing,
    "it follows changed weights": _follows_weights,
    "it takes views": _takes_views,
    "it refuses something that is not a target": _refuses_what_it_lacks,
    "it refuses inputs that don't fit": _does_not_swallow,
    "a failing function fails": _passes_errors_on,
    "knobs are named, and put back": _knobs_are_put_back,
    "it prints nothing": _is_quiet,
}
"""The laws; that the process stays as it was is looked at around each of them."""

FIRST = ("it has the interface", "what it says about being available is true")
