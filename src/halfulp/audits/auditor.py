"""audit: run a function once and watch the formats of every op.

PyTorch's ops are watched below autograd and autocast, so casts that autocast inserts and ops of a backward pass are seen too. Not seen:
what NumPy and other libraries do, and the inside of compiled kernels.
"""

from __future__ import annotations

import linecache
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten

from ..arguments import arguments_of
from ..cases import Side
from ..cases.inputs import TORCH_DTYPES, copied
from ..cases.sides import repeatable
from ..errors import InputError, RunError
from ..floats import FORMATS
from ..ops import Kind, called, record_of
from ..process.border import answered
from ..process.dispatch import DispatchMode
from ..words.numbers import counted, verb
from .findings import Audit, AuditEntry

_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


@answered
def audit(function: Callable[..., Any], inputs: Any, *, keywords: dict[str, Any] | None = None) -> Audit:
    """Where does a function change the format of its numbers, and what does that cost?

    Args:
        function: a function or `nn.Module`. inputs: a tuple of positional arguments; they are copied. keywords: keyword arguments.

    Returns:
        An `Audit`: print it for the table.

    Raises:
        InputError: `function` is not callable. RunError: it raised on the inputs.

    Numerics:
        PyTorch's promotion is defined, not unpredictable: the finer of two floating-point formats wins, dimensioned tensors before
        zero-dimensional ones before Python numbers. What is listed is what that rule did here.

    Example:
        >>> import torch
        >>> found = audit(lambda x: x * torch.ones(3, dtype=torch.float64), (torch.ones(3),))
        >>> [(each.kind, each.op, each.result) for each in found.entries]
        [('float64 constant', 'mul', 'float64')]
    """
    if not callable(function):
        raise InputError(
            f"Got {type(function).__name__}. Needed: a function or an nn.Module. Its ops are watched while it runs. "
            "Pass the callable itself."
        )
    side = Side("function", function)
    arguments, named = copied(arguments_of(inputs, keywords, (function,)))
    mode = _Watch((arguments, named), list(side.state.tensors().values()))
    try:
        with side.eager.unchanged(), repeatable(0), mode, _AutocastState(mode.autocast):
            side.eager.function(*arguments, **named)
    except Exception as error:
        raise RunError(
            f"Got {type(error).__name__} from the function: {error}. Needed: a call that succeeds. What was seen until then is incomplete. "
            "Call function(*inputs) by itself."
        ) from error
    entries = tuple(
        AuditEntry(kind, op, formats, result, detail=detail, where=where, count=count)
        for (kind, op, formats, result, detail, where), count in mode.found.items()
    )
    return Audit(entries, mode.ops, dict(mode.formats))


class _AutocastState(TorchFunctionMode):
    """Notes which format autocast asks for before each call: below autocast, where ops are watched, it is off."""

    def __init__(self, state: dict[str, torch.dtype]) -> None:
        super().__init__()
        self.state = state

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.state.clear()
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                self.state[device] = torch.get_autocast_dtype(device)
        return func(*args, **(kwargs or {}))


class _Watch(DispatchMode):
    """Notes what each op does with formats."""

    def __init__(self, inputs: Any, state: list[torch.Tensor]) -> None:
        super().__init__()
        known = [item for item in tree_flatten(inputs)[0] if isinstance(item, torch.Tensor)]
        self.found: Counter[tuple[str, str, tuple[str, ...], str, str, str]] = Counter()
        self.formats: Counter[str] = Counter()
        self.ops = 0
        self.autocast: dict[str, torch.dtype] = {}
        # Storages of inputs and of what is computed from them; other float64 tensors are constants.
        self._derived = {_memory_of(tensor) for tensor in known}
        self._kept = list(known)  # storages must not be freed and lent to others meanwhile
        given, kept = ([tensor.dtype for tensor in tensors if tensor.dtype in _NAMES] for tensors in (known, state))
        self._data = max(given or kept, key=lambda dtype: FORMATS[_NAMES[dtype]].precision_bits, default=torch.get_default_dtype())

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name, _ = called(func)
        flat = tree_flatten((args, kwargs))[0]
        operands = [item for item in flat if isinstance(item, torch.Tensor)]
        outputs = [item for item in tree_flatten(result)[0] if isinstance(item, torch.Tensor)]
        self.ops += 1
        self.formats.update(_named(output.dtype) for output in outputs)
        if outputs:
            self._look(
                name.rstrip("_") or name, operands, [item for item in flat if isinstance(item, (int, float, bool))], outputs[0], kwargs
            )
        if any(self._is_derived(operand) for operand in operands):
            self._derived |= {_memory_of(output) for output in outputs}
            self._kept += outputs
        return result

    def _is_derived(self, tensor: torch.Tensor) -> bool:
        return _memory_of(tensor) in self._derived

    def _note(self, kind: str, op: str, operands: list[torch.Tensor], result: torch.Tensor, detail: str) -> None:
        formats = tuple(dict.fromkeys(_named(operand.dtype) for operand in operands))
        self.found[kind, op, formats, _named(result.dtype), detail, _caller()] += 1

    def _look(self, op: str, operands: list[torch.Tensor], scalars: list[Any], result: torch.Tensor, kwargs: dict[str, Any]) -> None:
        if op in ("_to_copy", "to", "copy"):
            self._cast(op, operands, result)
            return
        if not operands:
            if record_of(op).makes and kwargs.get("dtype") is None and result.is_floating_point() and result.dtype != self._data:
                detail = f"{_named(result.dtype)} is PyTorch's default; the data is {_named(self._data)}"
                self._note("default dtype", op, operands, result, detail)
            return
        if record_of(op).python and result.is_floating_point() and result.dtype == torch.get_default_dtype() != self._data:
            self._note(
                "default dtype", op, operands, result, f"Python numbers become {_named(result.dtype)}; the data is {_named(self._data)}"
            )
        if record_of(op).moves:
            return
        floating = [operand for operand in operands if operand.is_floating_point() or operand.is_complex()]
        integers = [
            operand for operand in operands if not operand.is_floating_point() and not operand.is_complex() and operand.dtype != torch.bool
        ]
        if result.is_floating_point() and floating:
            self._promotion(op, floating, result)
            self._lossy_integers(op, [integer for integer in integers if record_of(op).promotes], result)
        elif result.is_floating_point() and integers and any(isinstance(scalar, float) for scalar in scalars):
            self._note("python scalar", op, operands, result, f"integers and a Python float give PyTorch's default, {_named(result.dtype)}")
            self._lossy_integers(op, integers, result)
        elif result.is_floating_point() and integers and (record_of(op).is_elementwise or record_of(op).kind is Kind.SUM):
            self._note("default dtype", op, operands, result, f"integers give PyTorch's default, {_named(result.dtype)}")
            self._lossy_integers(op, integers, result)
        for value in scalars if result.is_floating_point() else ():
            self._scalar(op, value, operands, result)

    def _promotion(self, op: str, floating: list[torch.Tensor], result: torch.Tensor) -> None:
        if result.dim():  # tensors without dimensions give way to those with
            floating = [tensor for tensor in floating if tensor.dim()]
        formats = {tensor.dtype for tensor in floating if tensor.is_floating_point()}
        if len(formats) < 2 or not record_of(op).promotes:
            return
        constants = [tensor for tensor in floating if tensor.dtype == torch.float64 and not self._is_derived(tensor)]
        if constants and result.dtype == torch.float64:
            self._note(
                "float64 constant", op, floating, result, f"a float64 tensor of shape {list(constants[0].shape)} makes the result float64"
            )
        else:
            names = " and ".join(sorted(_named(candidate) for candidate in formats))
            self._note("promotion", op, floating, result, f"{names} give {_named(result.dtype)}")

    def _cast(self, op: str, operands: list[torch.Tensor], result: torch.Tensor) -> None:
        if not operands:
            return
        source = operands[-1] if op == "copy" else operands[0]
        before, after = source.dtype, result.dtype
        if before == after or not result.is_floating_point():
            return
        if not source.is_floating_point():
            self._lossy_integers(op, [source] if before != torch.bool else [], result)
            return
        if FORMATS[_NAMES[after]].precision_bits >= FORMATS[_NAMES[before]].precision_bits if {before, after} <= _NAMES.keys() else True:
            return
        by_autocast = self.autocast.get(source.device.type) == after and op == "_to_copy"
        lost = FORMATS[_NAMES[before]].precision_bits - FORMATS[_NAMES[after]].precision_bits
        bits = f"{lost} of {FORMATS[_NAMES[before]].precision_bits} bits {verb(lost, 'are')} dropped"
        detail = f"{_named(before)} to {_named(after)}: {bits}"
        self._note("autocast" if by_autocast else "downcast", op, operands, result, detail)

    def _lossy_integers(self, op: str, integers: list[torch.Tensor], result: torch.Tensor) -> None:
        for value in integers:
            if result.dtype not in _NAMES or not value.numel():
                continue
            exact = value.to(result.dtype).to(torch.float64) == value.to(torch.float64) if value.dtype != torch.int64 else None
            if exact is None:  # float64 itself can't hold all of int64
                exact = _round_trips(value, result.dtype)
            lost = int((~exact).sum())
            if lost:
                bits = FORMATS[_NAMES[result.dtype]].precision_bits
                kept = f"{_named(result.dtype)} (it holds all up to 2**{bits})"
                detail = f"{lost} of {counted(value.numel(), 'integer')} can't be represented in {kept}"
                self._note("integer to float", op, [value], result, detail)

    def _scalar(self, op: str, value: Any, operands: list[torch.Tensor], result: torch.Tensor) -> None:
        if isinstance(value, bool) or result.dtype not in _NAMES or not record_of(op).promotes:
            return
        form = FORMATS[_NAMES[result.dtype]]
        if isinstance(value, int) and abs(value) > 2**form.precision_bits and float(torch.tensor(value).to(result.dtype)) != value:
            self._note("python scalar", op, operands, result, f"the Python integer {value} can't be represented in {form.name}")
        elif isinstance(value, float) and value not in (float("inf"), float("-inf")) and abs(value) > torch.finfo(result.dtype).max:
            self._note(
                "python scalar",
                op,
                operands,
                result,
                f"the Python number {value:g} is beyond the range of {form.name} and becomes infinite",
            )


def _round_trips(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    back = value.to(dtype).to(torch.float64)
    small = back.abs() < 2.0**63
    return small & (torch.where(small, back, torch.zeros_like(back)).to(torch.int64) == value)


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


_OWN = str(Path(__file__).parents[1])
_TORCH = str(Path(torch.__file__).parent)


def _caller() -> str:
    """The line of the user's code that is being run: the innermost frame outside of PyTorch and halfulp."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_OWN, _TORCH, "<frozen")):
            code = linecache.getline(name, frame.f_lineno).strip()
            return f"{Path(name).name}:{frame.f_lineno}" + (f": {code}" if code else "")
        frame = frame.f_back  # type: ignore[assignment]
    return ""


def _memory_of(tensor: torch.Tensor) -> int:
    """What tensors over the same memory have in common; a tensor without memory of its own (sparse, nested) has that with itself alone."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return id(tensor)
