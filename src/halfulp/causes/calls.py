"""Call: one call of a PyTorch function in a running program, and Calls, a mode that sees every one and may exchange it.

Calls are seen as the user's modules make them (F.layer_norm with its eps, not the ops below), so parameters can be read and varied.
They are numbered in the order in which they are made; the same program makes the same calls.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from ..process.alone import alone
from .signatures import DESCENDED, name_of, parameters_of

Replacement = Callable[["Call"], Any]
"""Computes what a call is to return instead."""


class Kept(NamedTuple):
    """Copies of the tensors that a call read and returned: later calls may write into those."""

    operands: list[torch.Tensor]
    results: list[torch.Tensor]


@dataclass(frozen=True)
class Call:
    """One call of a PyTorch function.

    Attributes:
        number: its place among all calls of the program. name: of the function, without underscores of in-place and operator forms.
        module: dotted path of the module that made it, "" for none. kind: the type of that module.
        function, arguments, keywords: what was called, with what. original: the function that `function` stands for, when it is changed itself.
        earlier: calls of the same run that were kept, by number.
    """

    number: int
    name: str
    module: str
    kind: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    original: Callable[..., Any] | None = None
    earlier: Mapping[int, Kept] = field(default_factory=dict)

    @property
    def operands(self) -> list[torch.Tensor]:
        """The tensors among its arguments, those in lists too."""
        return list(tensors_in([*self.arguments, *self.keywords.values()]))

    @property
    def in_place(self) -> bool:
        """Whether it writes its result into its first argument."""
        if "out" in self.keywords or self.value("inplace", False) is True:
            return True
        raw = getattr(self.original or self.function, "__name__", "")
        operator = raw.startswith("__i") and raw.endswith("__") and raw not in ("__invert__", "__int__", "__index__")
        return operator or (raw.endswith("_") and not raw.endswith("__") and raw not in ("requires_grad_",))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its positional arguments, as far as they are known."""
        return parameters_of(self.original or self.function, self.name)

    def value(self, name: str, default: Any = None) -> Any:
        """An argument by name; the default where it wasn't given."""
        if name in self.keywords:
            return self.keywords[name]
        names = self.parameters
        place = names.index(name) if name in names else len(self.arguments)
        return self.arguments[place] if place < len(self.arguments) else default

    def again(self, **changed: Any) -> Any:
        """The result of the same call with other arguments."""
        arguments, keywords = list(self.arguments), dict(self.keywords)
        names = self.parameters
        for name, value in changed.items():
            place = names.index(name) if name in names else len(arguments)
            if name not in keywords and place < len(arguments):
                arguments[place] = value
            else:
                keywords[name] = value
        return self.function(*arguments, **keywords)

    @property
    def first(self) -> Any:
        """The tensor that it works on."""
        return self.arguments[0] if self.arguments else next(iter(self.keywords.values()), None)

    @property
    def tensors(self) -> list[torch.Tensor]:
        """Its arguments that are tensors."""
        return [item for item in (*self.arguments, *self.keywords.values()) if isinstance(item, torch.Tensor)]

    @property
    def place(self) -> str:
        """Where it is made, in words."""
        return f"{self.name} in {self.module} ({self.kind})" if self.module else self.name


class Calls(TorchFunctionMode):
    """Sees every call of a program, and exchanges some.

    Args:
        replaced: what to do instead, by number of the call.
        seen: told of every call before it is made. done: told of every call and its result afterwards.
        keeps: numbers of calls whose operands and results later ones may ask for.
    """

    def __init__(
        self,
        replaced: Mapping[int, Replacement] | None = None,
        seen: Callable[[Call], None] | None = None,
        done: Callable[[Call, Any], None] | None = None,
        keeps: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__()
        self._keeps, self._kept = keeps, dict[int, Kept]()
        self._replaced = dict(replaced or {})
        self._seen = seen
        self._done = done
        self._number = 0
        self._modules: list[tuple[str, str]] = []
        self._paths: dict[int, str] = {}
        self._hooks: tuple[Any, ...] = ()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = name_of(func)
        if name in ("get", "set"):  # attributes of tensors
            return func(*args, **kwargs)
        if name in DESCENDED:
            with self:
                return _opened(func)(*args, **kwargs)
        number = self._number
        self._number += 1
        replacement = self._replaced.get(number)
        if replacement is None and self._seen is None and self._done is None and number not in self._keeps:
            return func(*args, **kwargs)
        module, kind = self._modules[-1] if self._modules else ("", "")
        call = Call(number, name, module, kind, function=func, arguments=tuple(args), keywords=kwargs, earlier=self._kept)
        if self._seen is not None:
            self._seen(call)
        is_kept = number in self._keeps
        operands = [operand.clone() for operand in call.operands] if is_kept else []
        result = func(*args, **kwargs) if replacement is None else _in_place(call, replacement(call))
        if is_kept:
            self._kept[number] = Kept(operands, [tensor.clone() for tensor in tensors_in(result)])
        if self._done is not None:
            self._done(call, result)
        return result

    def __enter__(self) -> Any:
        if not self._paths and self._seen is not None:
            self._follow_modules()
        return super().__enter__()

    def _follow_modules(self) -> None:
        """Hooks that PyTorch calls for every module while this mode watches; removed by `stop`."""

        def enter(module: nn.Module, _: Any) -> None:
            if id(module) not in self._paths:
                top = self._modules[-1][0] if self._modules else ""
                for path, part in module.named_modules():
                    self._paths.setdefault(id(part), ".".join(filter(None, (top, path))))
            self._modules.append((self._paths[id(module)], type(module).__name__))

        def leave(_: nn.Module, __: Any, ___: Any) -> None:
            self._modules.pop()

        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        self._hooks = (register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True))
        self._paths[0] = ""

    def stop(self) -> None:
        """End following modules."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = ()


def _in_place(call: Call, result: Any) -> Any:
    """What a call returns when its result is exchanged; written where the call writes."""
    target = call.keywords.get("out", call.first)
    if call.in_place and isinstance(result, torch.Tensor) and isinstance(target, torch.Tensor) and result is not target:
        with torch.no_grad() if target.is_leaf and target.requires_grad else contextlib.nullcontext():
            return target.copy_(result)
    return result


def chained(first: Replacement, second: Replacement) -> Replacement:
    """Two changes of one call: the second is made to the call as the first makes it."""

    def compute(call: Call) -> Any:
        def changed(*arguments: Any, **keywords: Any) -> Any:
            return first(dataclasses.replace(call, arguments=arguments, keywords=keywords))

        return second(dataclasses.replace(call, function=changed, original=call.original or call.function))

    return compute


@functools.lru_cache(maxsize=64)
def _opened(function: types.FunctionType) -> Callable[..., Any]:
    """A Python function of torch.nn.functional that makes its calls under the mode instead of handing itself over to it."""
    names = {**function.__globals__, "has_torch_function": _no, "has_torch_function_variadic": _no, "has_torch_function_unary": _no}
    opened = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    opened.__kwdefaults__ = function.__kwdefaults__
    return opened


def _no(*_: Any) -> bool:
    return False


def without_fast_path(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with attention and encoder layers made of their parts, so that their calls are seen."""

    @functools.wraps(function, updated=())
    def run(*arguments: Any, **keywords: Any) -> Any:
        with alone():
            fast = torch.backends.mha.get_fastpath_enabled()
            torch.backends.mha.set_fastpath_enabled(False)
            try:
                return function(*arguments, **keywords)
            finally:
                torch.backends.mha.set_fastpath_enabled(fast)

    return run


def with_replaced(
    function: Callable[..., Any], replaced: Mapping[int, Replacement], done: Callable[[Call, Any], None] | None = None,
    keeps: frozenset[int] = frozenset(),
) -> Callable[..., Any]:  # fmt: skip
    """The function with some of its calls exchanged; every call and its result reported afterwards."""
    opened = without_fast_path(function)

    def run(*arguments: Any, **keywords: Any) -> Any:
        with Calls(replaced, done=done, keeps=keeps):
            return opened(*arguments, **keywords)

    return run


def watched(
    function: Callable[..., Any], seen: Callable[[Call], None], done: Callable[[Call, Any], None] | None = None
) -> Callable[..., Any]:
    """The function with every call reported first, and its result afterwards."""
    opened = without_fast_path(function)

    def run(*arguments: Any, **keywords: Any) -> Any:
        mode = Calls(seen=seen, done=done)
        try:
            with mode:
                return opened(*arguments, **keywords)
        finally:
            mode.stop()

    return run


def is_scalar(value: Any) -> bool:
    """Whether a value is a Python number (no bool)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def tensors_in(values: Any) -> Iterator[torch.Tensor]:
    """The tensors of an argument that may be a list."""
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from tensors_in(value)
