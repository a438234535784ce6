"""Makes Triton's interpreter do nothing twice: half of its time went into what it had computed for the op before.

It wraps all functions of the language again in each call of a device function (`tl.max` is one), makes a table of formats for each array,
and describes the shape of each tensor again. The values that it computes are the same.
"""

from __future__ import annotations

import functools
import inspect
import math
from typing import Any

import numpy as np


def quicken(interpreter: Any, tl: Any) -> None:
    """Change the interpreter of this process, if it is one that is known (Triton 3.6 or later); others compute the same and take longer.

    Args:
        interpreter: the module `triton.runtime.interpreter`. tl: the language.
    """
    if not all(
        hasattr(*known)
        for known in ((interpreter, "_LangPatchScope"), (interpreter, "TritonSemantic"), (tl.core, "tensor_descriptor_base"))
    ):
        return
    _wrap_once(interpreter, tl)
    _find_formats_once(interpreter, tl)
    _describe_shapes_once(interpreter, tl.core)
    _look_less(tl.core)


def _wrap_once(interpreter: Any, tl: Any) -> None:
    """Wrap the functions of the language once in a launch for each file, and find them once in a process."""
    wrap_builtins, wrap_language = interpreter._patch_builtin, interpreter._patch_lang
    owners = (tl, tl.core, tl.tensor, tl.math, tl.core.tensor_descriptor_base)
    names = {id(owner): [name for name, member in inspect.getmembers(owner) if tl.core.is_builtin(member)] for owner in owners}

    def builtins_wrapped(owner: Any, builder: Any, scope: Any) -> None:
        if id(owner) not in names:
            wrap_builtins(owner, builder, scope)
            return
        for name in names[id(owner)]:
            member = getattr(owner, name)
            if tl.core.is_builtin(member):
                interpreter._patch_attr(owner, name, member, builder, scope)

    done: dict[int, Any] = {}  # the names of a file, held so that no other file gets their place in memory

    @functools.wraps(wrap_language)
    def language_wrapped(function: Any) -> Any:
        """In a launch, which undoes it at its end, or in a call of a device function, which leaves that to the launch."""
        place = id(function.__globals__)
        if place in done:
            return interpreter._LangPatchScope()
        scope = wrap_language(function)
        done[place] = function.__globals__
        undo = scope.restore

        def restore() -> None:
            done.clear()  # whatever becomes of the rest: the next launch wraps everything again
            undo()

        scope.restore = restore
        return scope

    interpreter._patch_builtin, interpreter._patch_lang = builtins_wrapped, language_wrapped


def _find_formats_once(interpreter: Any, tl: Any) -> None:
    """Keep NumPy's dtype of each of the language's."""
    find = interpreter._get_np_dtype
    known: dict[str, Any] = {}

    def found(form: Any) -> Any:
        form = form.element_ty if isinstance(form, tl.block_type) else form
        if isinstance(form, tl.pointer_type):
            return np.dtype(np.uint64)
        if form.name not in known:
            known[form.name] = find(form)
        return known[form.name]

    interpreter._get_np_dtype = found


def _describe_shapes_once(interpreter: Any, core: Any) -> None:
    """Keep what types say of their shapes for tensors of theirs; two of one shape hold one description."""
    blocks: dict[tuple[str, tuple[int, ...]], dict[str, Any]] = {}
    shapes: dict[tuple[int, ...], tuple[Any, Any, Any]] = {}
    make_block, broadcast = core.block_type.__init__, interpreter.TritonSemantic.broadcast_impl_value
    of_numbers = core.constexpr(1), core.tuple([])

    def block_made(self: Any, element_ty: Any, shape: Any) -> None:
        lengths = tuple(shape)
        is_plain = isinstance(element_ty, core.dtype) and all(type(length) is int for length in lengths)
        key = (element_ty.name if is_plain else "", lengths)
        if not is_plain or key not in blocks:
            make_block(self, element_ty, shape)
            if not is_plain:
                return
            if lengths not in shapes:
                shapes[lengths] = self.shape, core.constexpr(self.numel), core.tuple([core.constexpr(length) for length in lengths])
            blocks[key] = {"shape": shapes[lengths][0], "numel": self.numel, "name": self.name, DESCRIBED: shapes[lengths][1:]}
        self.element_ty = element_ty
        self.__dict__.update(blocks[key])

    def tensor_made(self: Any, handle: Any, type: Any) -> None:
        self.handle, self.type, self.dtype = handle, type, type.scalar
        found = type.__dict__.get(DESCRIBED, None if type.is_block() else of_numbers)
        if found is None:
            found = core.constexpr(math.prod(type.shape)), core.tuple([core.constexpr(length) for length in type.shape])
        self.numel, self.shape = found

    def broadcasted(self: Any, lhs: Any, rhs: Any) -> Any:
        one, other = (operand.type.__dict__.get(DESCRIBED) for operand in (lhs, rhs))
        return (lhs, rhs) if one is not None and one is other else broadcast(self, lhs, rhs)

    core.block_type.__init__, core.tensor.__init__ = block_made, tensor_made
    interpreter.TritonSemantic.broadcast_impl_value = broadcasted


DESCRIBED = "_halfulp_described"
"""What a type of blocks is given to hold: how many numbers a tensor of its shape has, and that shape."""


def _look_less(core: Any) -> None:
    """Find at once that something equals itself, and that plain values hold no constants."""
    unwrap = core._unwrap_if_constexpr
    plain = {int, float, bool, str, type(None), core.dtype, core.pointer_type, core.block_type, core.tensor}

    @functools.wraps(unwrap)
    def unwrapped(value: Any) -> Any:
        return value if type(value) in plain else unwrap(value)

    core._unwrap_if_constexpr = unwrapped
    for owner in (core.dtype, core.pointer_type, core.block_type):
        owner.__eq__ = _equal_to_itself(owner.__eq__)


def _equal_to_itself(compare: Any) -> Any:
    @functools.wraps(compare)
    def equal(self: Any, other: Any) -> bool:
        return self is other or compare(self, other)

    return equal
