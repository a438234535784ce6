"""Which module is running: its dotted path and how often it was called.

`nn.Module.__call__` is exchanged while recording. Hooks on modules would not do: some modules (nn.TransformerEncoderLayer) take another
path when hooks are attached, and hooks of the user's, which may exchange a result, would run after global ones.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn


class Place(NamedTuple):
    """A call of a module: dotted path ("" for the outermost) and how often it had been called before."""

    path: str
    call: int


NOWHERE = Place("", 0)


class ModuleStack:
    """Follows calls of modules.

    Args:
        on_return: called with the place, the module, its arguments and its result when a module returns.
        on_outermost: called with a module that was not named yet and the path to give it.
        on_compiled: called with the place when a compiled module is entered, and with None when it is left.

    Attributes:
        autocast: under which a module was called last; "" for none so far.
    """

    def __init__(
        self,
        on_return: Callable[[Place, nn.Module, Any, Any], None],
        on_compiled: Callable[[Place | None], None],
        on_outermost: Callable[[nn.Module, str], None],
    ) -> None:
        self._on_return, self._on_compiled, self._on_outermost = on_return, on_compiled, on_outermost
        self._paths: dict[int, str] = {}
        self._keep: list[nn.Module] = []
        self._stack: list[tuple[nn.Module, Place]] = []
        self._calls: Counter[str] = Counter()
        self._original: Any = None
        self.autocast = ""
        self._thread = threading.get_ident()
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
        original = self._original = nn.Module.__call__

        def called(module: nn.Module, *arguments: Any, **keywords: Any) -> Any:
            if torch.compiler.is_compiling() or threading.get_ident() != self._thread or self._original is None:
                return original(module, *arguments, **keywords)
            place = self._enter(module)
            try:
                result = original(module, *arguments, **keywords)
            finally:
                self._stack.pop()
                if type(module).__name__ == "OptimizedModule":
                    self._on_compiled(None)
            self._on_return(place, module, arguments, result)
            return result

        nn.Module.__call__ = called  # pyright: ignore[reportAttributeAccessIssue]

    def stop(self) -> None:
        """End."""
        nn.Module.__call__ = self._original
        self._original = None
        self._stack.clear()

    def _enter(self, module: nn.Module) -> Place:
        kinds = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        if kinds:
            self.autocast = ", ".join(f"{kind} {torch.get_autocast_dtype(kind)}" for kind in kinds)
        if id(module) not in self._paths:
            # The first outermost module gives its parts their names; a further one is told apart by its class.
            if not self._stack:
                self._outermost += 1
                self._on_outermost(module, "" if self._outermost == 1 else f"{type(module).__name__}{self._outermost - 1}")
            else:
                self.name(module, ".".join(filter(None, (self.place.path, type(module).__name__))))
        path = self._paths[id(module)]
        place = Place(path, self._calls[path])
        self._calls[path] += 1
        self._stack.append((module, place))
        if type(module).__name__ == "OptimizedModule":
            self._on_compiled(place)
        return place
