"""Implementation: a function that can be run on numbers of our choice, laid out in memory as the user's inputs are.

Shapes, dtypes, strides, devices and everything that isn't a floating-point array stay as they were given; only values change. Arrays are
NumPy arrays or PyTorch tensors; a module's parameters are inputs like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..errors import InputError, RunError
from ..floats import Format, format_named

Values = npt.NDArray[Any]

LARGE = 1 << 20
"""Elements in all inputs: about a millisecond to fill."""


@dataclass(frozen=True)
class Argument:
    """One floating-point array among the inputs: its name, shape and format, and the user's values."""

    name: str
    shape: tuple[int, ...]
    format: Format
    values: Values


class _Slot:
    """The memory that the function reads one input from."""

    def __init__(self, given: Any, dtype: torch.dtype | None) -> None:
        self.is_torch = isinstance(given, torch.Tensor)
        if self.is_torch:
            tensor = given.detach()
            if any(stride == 0 and size > 1 for size, stride in zip(tensor.size(), tensor.stride())):
                tensor = tensor.contiguous()  # an expanded tensor has one place for many elements
            kind = dtype or tensor.dtype
            self.held: Any = torch.empty_strided(tensor.size(), tensor.stride(), dtype=kind, device=tensor.device)
            plain = tensor.device.type == "cpu" and kind in (torch.float32, torch.float64)
            self.view: Values | None = self.held.numpy() if plain else None
        else:
            kind = np.dtype(str(dtype).removeprefix("torch.")) if dtype else given.dtype
            self.held = np.empty_like(given, dtype=kind)
            self.view = self.held

    def put(self, values: Values) -> None:
        if self.view is not None:
            self.view[...] = values
        else:
            self.held.copy_(torch.from_numpy(np.ascontiguousarray(values)))


class Implementation:
    """A function and its inputs.

    Args:
        function: a callable or `nn.Module`. inputs: its inputs, nested or not.
        keywords: keyword arguments, passed as they are.
        dtype: run in this format instead of that of the inputs.

    Attributes:
        arguments: the floating-point arrays among the inputs (and the parameters of a module), in order.

    Raises:
        InputError: no floating-point input. When run: the result is no floating-point array.
        RunError: the function raised, when run.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Any, keywords: dict[str, Any] | None = None, *, dtype: torch.dtype | None = None
    ) -> None:
        self.function, self.inputs, self.keywords = function, inputs, keywords or {}
        positional = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
        leaves, self._structure = tree_flatten(tuple(positional))
        self._parameters = _parameters(function)
        self._leaves = [*leaves, *self._parameters.values()]
        self._places = [place for place, leaf in enumerate(self._leaves) if _is_real_array(leaf)]
        if not self._places:
            got = ", ".join(_kind(leaf) for leaf in leaves) or "nothing"
            raise InputError(
                f"Got inputs without a floating-point array: {got}. Needed: at least one array or tensor of float64, float32, bfloat16 or "
                "float16. Integers are added exactly in every order, so there is none to reveal. Convert the inputs to the dtype that "
                "you compute in."
            )
        names = [f"input {place}" for place in range(len(leaves))] + list(self._parameters)
        self.arguments = [_argument(names[place], self._leaves[place]) for place in self._places]
        self._slots = [_Slot(self._leaves[place], dtype) for place in self._places]
        leaves = [*self._leaves]
        for place, slot in zip(self._places, self._slots):
            leaves[place] = slot.held
        self._named = dict(zip(self._parameters, leaves[len(leaves) - len(self._parameters) :]))
        self._bound = tree_unflatten(leaves[: len(leaves) - len(self._parameters)], self._structure)
        self._result: tuple[tuple[int, ...], Format] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self._known()[0]

    @property
    def output(self) -> Format:
        """The format of the result."""
        return self._known()[1]

    @property
    def is_large(self) -> bool:
        """Whether filling the inputs costs about as much as a run: then runs are counted, and questions that can be put off are."""
        return sum(argument.values.size for argument in self.arguments) > LARGE

    def _known(self) -> tuple[tuple[int, ...], Format]:
        if self._result is None:
            self.run([argument.values for argument in self.arguments])
        assert self._result is not None
        return self._result

    def in_format(self, dtype: torch.dtype) -> Implementation:
        """The same function on inputs of another format."""
        return Implementation(self.function, self.inputs, self.keywords, dtype=dtype)

    def results_on(self, changes: Iterable[tuple[int, float, int, float]], memory: Values, rest: float, position: int) -> list[float]:
        """One result a run, with two elements of an argument's memory set to values and put back to `rest`."""
        run = self._runner()
        found: list[float] = []
        with torch.no_grad():
            for first, one, second, two in changes:
                memory[first] = one
                memory[second] = two
                found.append(run(position))
                memory[first] = memory[second] = rest
        return found

    def _runner(self) -> Callable[[int], float]:
        function, bound, keywords, named = self.function, self._bound, self.keywords, self._named

        def run(position: int) -> float:
            result = torch.func.functional_call(function, named, bound, keywords) if named else function(*bound, **keywords)  # pyright: ignore[reportArgumentType]
            if isinstance(result, (tuple, list)):
                result = result[0]
            return float(result.reshape(-1)[position]) if hasattr(result, "reshape") else float(result)

        return run

    def run(self, values: Sequence[Values] | None = None) -> Values:
        """The result on these values, or on what the slots hold: float64 for float64 results, else float32 (which holds them exactly)."""
        if values is not None:
            for slot, each in zip(self._slots, values):
                slot.put(each)
        return self._call()

    def put(self, argument: int, values: Values) -> None:
        """Sets the values of one argument for later runs."""
        self._slots[argument].put(values)

    def memory(self, argument: int) -> Values | None:
        """The argument's memory as a flat view that may be written to, where there is one."""
        view = self._slots[argument].view
        return view.reshape(-1) if view is not None and view.flags.c_contiguous else None

    def _call(self) -> Values:
        try:
            with torch.no_grad():
                if self._named:
                    result = torch.func.functional_call(self.function, self._named, self._bound, self.keywords)  # pyright: ignore[reportArgumentType]
                else:
                    result = self.function(*self._bound, **self.keywords)
        except Exception as error:
            raise RunError(
                f"Got {type(error).__name__} from the function: {error}. Needed: a function that runs on inputs of these shapes and "
                "dtypes with other values. Orders are revealed by running it on numbers of our choice. Check it on torch.ones of those "
                "shapes."
            ) from error
        return self._numbers(result)

    def _numbers(self, result: Any) -> Values:
        if isinstance(result, (tuple, list)) and len(result) == 1:
            result = result[0]
        if isinstance(result, torch.Tensor):
            result = result.detach()
            dtype: Any = result.dtype
            if dtype in (torch.bfloat16, torch.float16):
                result = result.float()
            found = result.cpu().numpy()
        else:
            found = np.zeros(0, np.int8) if isinstance(result, (tuple, list, dict)) else np.asarray(result)
            dtype = found.dtype
            if dtype == np.float16:
                found = found.astype(np.float32)
        if found.dtype not in (np.float32, np.float64):
            raise InputError(
                f"Got a result of type {_kind(result)}. Needed: one floating-point array or number. An order belongs to one sum. Wrap the "
                "function so that it returns the tensor you ask about."
            )
        if self._result is None:
            self._result = found.shape, format_named(dtype)
        return found


def _is_real_array(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        dtypes = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
        return value.dtype in dtypes and value.layout == torch.strided
    return isinstance(value, np.ndarray) and value.dtype in (np.float64, np.float32, np.float16)


def _kind(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return f"{type(value).__name__} of {dtype}" if dtype is not None else type(value).__name__


def _argument(name: str, given: Any) -> Argument:
    if isinstance(given, torch.Tensor):
        held = given.detach()
        values = (held.float() if held.dtype in (torch.bfloat16, torch.float16) else held).cpu().numpy()
        return Argument(name, tuple(given.shape), format_named(given.dtype), values)
    values = given.astype(np.float32) if given.dtype == np.float16 else given
    return Argument(name, given.shape, format_named(given.dtype), values)


def _parameters(function: Any) -> dict[str, torch.Tensor]:
    if not isinstance(function, torch.nn.Module):
        return {}
    return {name: parameter.detach() for name, parameter in function.named_parameters() if _is_real_array(parameter)}
