"""Where a reference is no guide: what it computes on the way, or the inputs that it is given, are beyond what it was made for."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...cases.trees import tensors_of
from ...ops import called
from ...process.dispatch import DispatchMode
from ..problems.calls import Setting, call, copied, differentiated, is_real, leaves, same_arguments

TO_THE_END = (1 << 63) - 1
"""How a slice without an end is passed to an op."""


class Watched(DispatchMode):
    """What the ops of a reference do.

    Args:
        poles: whether infinity at a pole, such as log(0), is a result like any other.

    Attributes:
        overflows: an op makes infinity or NaN of finite numbers, which a later one may hide: exp(-exp(100)) is 0. Some do so by nature:
            the logarithms inside `ctc_loss` are minus infinity where there is no way; what overflows on the given inputs says nothing.
        overreaches: a slice ends past the end of its tensor, which Python cuts off.
        reaches_back: a place is negative, which Python counts from the end.
    """

    def __init__(self, *, poles: bool = False) -> None:
        super().__init__()
        self._poles = poles
        self.overflows = self.overreaches = self.reaches_back = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, record = called(func)
        results = func(*args, **(kwargs or {}))
        if name == "slice" and len(args) > 3 and isinstance(args[3], int):
            self.overreaches |= args[0].shape[args[1]] < args[3] < TO_THE_END
        if name == "index":
            self.reaches_back |= any(map(_is_negative, tensors_of(args[1])))
        if not (self.overflows or func.is_view or record.moves or record.makes or record.unwritten):
            given = (args, kwargs or {})
            is_plain = all(map(_is_finite, tensors_of(given))) and not _names_infinity(given)
            found = list(tensors_of(results))
            self.overflows = is_plain and not all(map(_is_finite, found)) and not (self._poles and _are_poles(found, tensors_of(given)))
        return results


class _Slices(TorchFunctionMode):
    """Tells `Watched` of slices that Python truncates before any op runs: a slice of a whole axis is the tensor itself."""

    def __init__(self, ops: Watched) -> None:
        super().__init__()
        self.ops = ops

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__getitem__ and all(isinstance(part, slice) for part in _parts(args[1])):
            for part, length in zip(_parts(args[1]), args[0].shape):
                self.ops.overreaches |= isinstance(part.stop, int) and part.stop > length
        return func(*args, **(kwargs or {}))


def _is_negative(places: torch.Tensor) -> bool:
    return places.dtype in (torch.int32, torch.int64) and places.numel() > 0 and int(places.min()) < 0


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _is_finite(tensor: torch.Tensor) -> bool:
    return not is_real(tensor) or bool(torch.isfinite(tensor).all())


def _are_poles(results: Sequence[torch.Tensor], given: Iterable[torch.Tensor]) -> bool:
    """Whether all that is not finite is infinity, where an input is zero: there it is exact."""
    floats = [tensor for tensor in given if is_real(tensor)]
    return all(
        any(tensor.shape == result.shape and bool((torch.isfinite(result) | (result.isinf() & (tensor == 0))).all()) for tensor in floats)
        for result in results
        if not _is_finite(result)
    )


def _names_infinity(value: Any) -> bool:
    """Whether some number among nested arguments is infinite or NaN, as for filling a mask."""
    if isinstance(value, float):
        return not math.isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(map(_names_infinity, parts))


def watched(target: Any, setting: Setting, *, gradients: str = "", poles: bool = False) -> tuple[Watched, Any]:
    """What a reference does on the way, and what it returns; None if it refuses."""
    results: Any = None
    with Watched(poles=poles) as ops, _Slices(ops), contextlib.suppress(Exception):
        if gradients:
            results = differentiated(target, setting.state, setting.arguments, setting.keywords, training=setting.training, way=gradients)
        else:
            with torch.no_grad():
                results = call(target, setting.state, copied(setting.arguments), setting.keywords, training=setting.training)[0]
    return ops, results


def why_undefined(
    make: Callable[[tuple[Any, ...]], Any],
    setting: Setting,
    given: Setting,
    *,
    special: bool,
    gradients: str,
    shaped: bool = False,
    untied: bool = False,
    poles: bool = False,
) -> str:
    """Why the reference is no guide on a setting; "" if it is one.

    Args:
        make: the reference for what a constructor gets. given: the setting that was changed.
        special: whether infinities or NaN are what the solution is wrong in.
        gradients: in which way these were asked; "" where results were.
        shaped: whether results have another shape: the best six of one are one to Python's slices.
        untied: whether whole numbers no longer belong to the lengths of the other inputs: the ends of pieces lie past the end of all.
        poles: whether the problem says that results may be infinite, as log(0) is.
    """
    ops, results = watched(make(setting.init), setting, gradients=gradients, poles=poles and not gradients)
    before, own = watched(make(given.init), given, gradients=gradients)
    if special and ops.overflows and not before.overflows:
        return "the reference itself leaves the range of its format on the way"
    if ops.reaches_back and not before.reaches_back:
        return "the reference takes negative places, which count from the end"
    shapes = [tensor.shape for tensor in leaves(setting.arguments)]
    others = (
        bool(gradients) or not same_arguments(setting.init, given.init) or shapes != [tensor.shape for tensor in leaves(given.arguments)]
    )
    if others and not shaped and not untied:
        return ""
    # A number alone is another one: it may ask for more than the tensors hold.
    if ops.overreaches and not before.overreaches:
        return "the reference reads past the end of a tensor"
    if others:
        return ""
    for old, new in zip(tensors_of(own), tensors_of(results)):
        if old.shape in shapes and new.shape != old.shape:
            return "the reference's results lose the shape of its inputs"
    return ""
