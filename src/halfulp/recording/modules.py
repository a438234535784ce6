"""Which module is running: its dotted path and how often it was called, from hooks that no module has to carry.

Global hooks are used because some modules (nn.TransformerEncoderLayer) take another path when hooks are attached to them: a recording
must not change what it records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules import module as hooks


class Place(NamedTuple):
    """A call of a module: dotted path ("" for the outermost) and how often it had been called before."""

    path: str
    call: int


NOWHERE = Place("", 0)


class ModuleStack:
    """Follows calls of modules.

    Args:
        on_return: called with the place, the module, its arguments and its result when a module returns.
        on_compiled: called with the place when a compiled module is entered, and with None when it is left.
    """

    def __init__(self, on_return: Callable[[Place, nn.Module, Any, Any], None], on_compiled: Callable[[Place | None], None]) -> None:
        self._on_return, self._on_compiled = on_return, on_compiled
        self._paths: dict[int, str] = {}
        self._keep: list[nn.Module] = []
        self._stack: list[tuple[nn.Module, Place]] = []
        self._calls: Counter[str] = Counter()
        self._handles: list[Any] = []
        self._outermost = 0

    @property
    def place(self) -> Place:
        """Where the program is now."""
        return self._stack[-1][1] if self._stack else NOWHERE

    def name(self, module: nn.Module, prefix: str) -> None:
        """Give a module and its parts their paths."""
        for path, part in module.named_modules():
            if id(part) not in self._paths:
                clean = path.replace("_orig_mod.", "").removesuffix("_orig_mod")
                self._paths[id(part)] = ".".join(filter(None, (prefix, clean.rstrip("."))))
                self._keep.append(part)

    def start(self) -> None:
        """Begin to follow."""
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave),
        ]

    def stop(self) -> None:
        """End."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._stack.clear()

    def _enter(self, module: nn.Module, _: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if id(module) not in self._paths:
            # The first outermost module gives its parts their names; a further one is told apart by its class.
            if not self._stack:
                self.name(module, "" if not self._outermost else f"{type(module).__name__}{self._outermost}")
                self._outermost += 1
            else:
                self.name(module, ".".join(filter(None, (self.place.path, type(module).__name__))))
        path = self._paths[id(module)]
        place = Place(path, self._calls[path])
        self._calls[path] += 1
        self._stack.append((module, place))
        if type(module).__name__ == "OptimizedModule":
            self._on_compiled(place)

    def _leave(self, module: nn.Module, arguments: Any, result: Any) -> None:
        if torch.compiler.is_compiling():
            return
        while self._stack:  # calls that an exception ended never came here
            inner, place = self._stack.pop()
            if type(inner).__name__ == "OptimizedModule":
                self._on_compiled(None)
            if inner is module:
                self._on_return(place, module, arguments, result)
                return
