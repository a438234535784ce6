"""Implementation: a function that can be run on numbers of our choice, laid out in memory as the user's inputs are.

Shapes, dtypes, strides, devices and everything that isn't a floating-point array stay as they were given; only values change. Arrays are
NumPy arrays or PyTorch tensors; a module's parameters are inputs like any other.
"""

from __future__ import annotations

import time
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


ALIGNMENT = 64
"""Bytes of a cache line: kernels treat what lies before the first whole vector register differently."""


class _Slot:
    """The memory that the function reads one input from: strides and alignment are those of the user's input, since kernels go by them."""

    def __init__(self, given: Any, dtype: torch.dtype | None) -> None:
        if isinstance(given, torch.Tensor):
            tensor = given.detach()
            kind = dtype or tensor.dtype
            self.held: Any = _like_tensor(tensor, kind)
            plain = tensor.device.type == "cpu" and kind in (torch.float32, torch.float64)
            self.view: Values | None = self.held.numpy() if plain else None
        else:
            self.held = _like_array(given, np.dtype(str(dtype).removeprefix("torch.")) if dtype else given.dtype)
            self.view = self.held

    def put(self, values: Values) -> None:
        if self.view is not None:
            self.view[...] = values
        else:
            self.held.copy_(torch.from_numpy(np.ascontiguousarray(values)))


def _like_tensor(given: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    reach = 1 + sum((size - 1) * stride for size, stride in zip(given.size(), given.stride()) if size)
    width = torch.empty(0, dtype=kind).element_size()
    memory = torch.empty(reach + ALIGNMENT, dtype=kind, device=given.device)
    wanted = given.data_ptr() % ALIGNMENT if kind == given.dtype else 0
    start = (wanted - memory.data_ptr()) % ALIGNMENT // width
    return torch.as_strided(memory, given.size(), given.stride(), start)


def _like_array(given: Values, kind: np.dtype[Any]) -> Values:
    width = kind.itemsize
    strides = [stride // given.itemsize for stride in given.strides]
    below = sum((size - 1) * stride for size, stride in zip(given.shape, strides) if stride < 0 and size)
    reach = 1 + sum((size - 1) * abs(stride) for size, stride in zip(given.shape, strides) if size)
    memory = np.empty(reach + 2 * ALIGNMENT, kind)
    wanted = (given.ctypes.data + below * given.itemsize) % ALIGNMENT if kind == given.dtype else 0
    start = (wanted - memory.ctypes.data) % ALIGNMENT // width - below
    return np.lib.stride_tricks.as_strided(memory[start:], given.shape, [stride * width for stride in strides])


def _shares_places(given: Any) -> bool:
    strides = given.stride() if isinstance(given, torch.Tensor) else given.strides
    return 0 not in given.shape and any(stride == 0 and size > 1 for size, stride in zip(given.shape, strides))


class Implementation:
    """A function and its inputs.

    Args:
        function: a callable or `nn.Module`. inputs: its inputs, nested or not.
        keywords: keyword arguments, passed as they are.
        dtype: run in this format instead of that of the inputs.

    Attributes:
        arguments: the floating-point arrays among the inputs (and the parameters of a module), in order.
        run_s: how long the shortest run took.

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
        shared = next((self._leaves[place] for place in self._places if _shares_places(self._leaves[place])), None)
        if shared is not None:
            raise InputError(
                f"Got an expanded input of shape {tuple(shared.shape)}, in which many elements share one place in memory. "
                "Needed: a place for each. Orders are revealed by giving each element a value of its own. Pass a "
                "contiguous copy; its order may be a different one."
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
        self.run_s = float("inf")

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
        return self.size > LARGE

    @property
    def size(self) -> int:
        """Elements in all inputs."""
        return sum(argument.values.size for argument in self.arguments)

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
        try:
            with torch.no_grad():
                for first, one, second, two in changes:
                    memory[first] = one
                    memory[second] = two
                    found.append(run(position))
                    memory[first] = memory[second] = rest
        except Exception as error:
            raise _failed(error) from error
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
            for slot, value in zip(self._slots, values):
                slot.put(value)
        return self._call()

    def changes_inputs(self, values: Sequence[Values]) -> str | None:
        """The name of an input that no longer holds the values it was given."""
        for argument, slot, value in zip(self.arguments, self._slots, values):
            if slot.view is not None and not np.array_equal(slot.view, value, equal_nan=True):
                return argument.name
        return None

    def put(self, argument: int, values: Values) -> None:
        """Sets the values of one argument for later runs."""
        self._slots[argument].put(values)

    def memory(self, argument: int) -> Values | None:
        """The argument's memory as a flat view that may be written to, where there is one."""
        view = self._slots[argument].view
        return view.reshape(-1) if view is not None and view.flags.c_contiguous else None

    def _call(self) -> Values:
        start = time.perf_counter()
        try:
            with torch.no_grad():
                if self._named:
                    result = torch.func.functional_call(self.function, self._named, self._bound, self.keywords)  # pyright: ignore[reportArgumentType]
                else:
                    result = self.function(*self._bound, **self.keywords)
        except Exception as error:
            raise _failed(error) from error
        self.run_s = min(self.run_s, time.perf_counter() - start)
        return self._numbers(result)

    def _numbers(self, result: Any) -> Values:
        if isinstance(result, (tuple, list)) and len(result) == 1:
            result = result[0]
        if isinstance(result, torch.Tensor) and result.layout == torch.strided:
            result = result.detach()
            dtype: Any = result.dtype
            if dtype in (torch.bfloat16, torch.float16):
                result = result.float()
            found = result.cpu().numpy()
        else:
            found = np.zeros(0, np.int8) if isinstance(result, (tuple, list, dict, torch.Tensor)) else np.asarray(result)
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
        if found.shape != self._result[0]:
            raise InputError(
                f"Got results of shapes {self._result[0]} and {found.shape} for inputs of the same shapes. Needed: a shape "
                "that does not depend on values. Otherwise each set of values gives a different sum. Ask about the sum "
                "alone."
            )
        return found


def _failed(error: Exception) -> RunError:
    return RunError(
        f"Got {type(error).__name__} from the function: {error}. Needed: a function that runs on inputs of these shapes and dtypes with "
        "other values. Orders are revealed by running it on specially chosen numbers, some as large as 2**100. Check it on torch.ones of "
        "those shapes."
    )


def _is_real_array(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        dtypes = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
        return value.dtype in dtypes and value.layout == torch.strided
    return isinstance(value, np.ndarray) and value.dtype.isnative and value.dtype in (np.float64, np.float32, np.float16)


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
