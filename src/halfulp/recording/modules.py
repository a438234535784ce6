"""Which module is running: its dotted path and how often it was called.

`nn.Module.__call__` is exchanged while somebody records, in one place for all; in other threads it does what it always does. Hooks on
modules would not do: some modules (nn.TransformerEncoderLayer) take another path when hooks are attached, and hooks of the user's, which
may exchange a result, would run after global ones.
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

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
        self._thread = threading.get_ident()
        _Watch.add(self._thread, self)

    def stop(self) -> None:
        """End."""
        _Watch.remove(self._thread, self)
        self._stack.clear()

    def follow(self, module: nn.Module, call: Callable[..., Any], arguments: Any, keywords: Any) -> Any:
        """Call a module and note where it is. Modes of the caller's don't see what is asked of tensors for that."""
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
            place = self._enter(module)
        try:
            result = call(module, *arguments, **keywords)
        finally:
            self._stack.pop()
            if type(module).__name__ == "OptimizedModule":
                self._on_compiled(None)
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
            self._on_return(place, module, arguments, result)
        return result

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


class _Watch:
    """The exchanged `nn.Module.__call__`: there from the first that follows to the last, whichever threads they are of."""

    followers: ClassVar[dict[int, tuple[ModuleStack, ...]]] = {}
    original: ClassVar[Any] = None
    changing = threading.Lock()

    @classmethod
    def add(cls, thread: int, follower: ModuleStack) -> None:
        with cls.changing:
            if not cls.followers:
                cls.original = nn.Module.__call__
                nn.Module.__call__ = _called  # pyright: ignore[reportAttributeAccessIssue]
            cls.followers[thread] = (*cls.followers.get(thread, ()), follower)

    @classmethod
    def remove(cls, thread: int, follower: ModuleStack) -> None:
        with cls.changing:
            left = tuple(module_stack for module_stack in cls.followers.get(thread, ()) if module_stack is not follower)
            if left:
                cls.followers[thread] = left
            else:
                cls.followers.pop(thread, None)
            if not cls.followers and nn.Module.__call__ is _called:
                nn.Module.__call__ = cls.original


def _called(module: nn.Module, *arguments: Any, **keywords: Any) -> Any:
    call = _Watch.original
    followers = () if torch.compiler.is_compiling() else _Watch.followers.get(threading.get_ident(), ())
    for follower in followers:  # of several in one thread the last begun is the outermost
        call = functools.partial(_through, follower, call)
    return call(module, *arguments, **keywords)


def _through(follower: ModuleStack, call: Callable[..., Any], module: nn.Module, *arguments: Any, **keywords: Any) -> Any:
    return follower.follow(module, call, arguments, keywords)
