"""Corrects Triton's interpreter to compute what a GPU would: bfloat16 is rounded, device functions exist, no configuration is timed.

As it is, the interpreter truncates float32 to bfloat16; adds the bits of two bfloat16 numbers as integers; passes Python numbers to kernels
as they are, where a launch makes tensors of them, and counts loops in such numbers; lacks the functions of libdevice; and asks a driver to
time configurations. It spends half of its time on checks of whole numbers for an overflow, which only a debugging launch would tell. It
still can't show races, or the order in which a GPU adds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Generator, Iterable
from importlib import import_module
from typing import Any

import numpy as np
import torch

from .triton_speed import quicken

NOTE = "It was run in Triton's interpreter: races between programs, and the order in which a GPU adds, can't be seen there."


def prepare() -> None:
    """Change the interpreter of this process. `TRITON_INTERPRET` must be set before.

    Raises:
        ImportError: there is no Triton.
    """
    triton: Any = import_module("triton")
    interpreter: Any = import_module("triton.runtime.interpreter")

    if hasattr(triton, "knobs"):  # since Triton 3.4; before, the variable alone says it
        triton.knobs.runtime.interpret = True
    builder = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
    _with_rounding(interpreter.InterpreterBuilder, interpreter.TensorHandle, triton.language)
    _with_functions(interpreter.TensorHandle, triton.language)
    interpreter._implicit_cvt = _with_numbers(interpreter, np.float32, triton.language.float32)
    interpreter._patch_lang = _with_counters(interpreter, triton.language)
    triton.runtime.driver.set_active(_driver())
    # All configurations compute the same; the first is as good as any where time means nothing.
    triton.runtime.autotuner.Autotuner._bench = lambda self, *_, config, **__: float(self.configs.index(config))
    triton.testing.do_bench = lambda *_, **__: 1.0
    quicken(interpreter, triton.language)


def _wide(handle: Any, tl: Any) -> Any:
    """The numbers of a handle in float32, if they are the bits of bfloat16."""
    return (handle.data.astype(np.uint32) << 16).view(np.float32) if handle.dtype.scalar == tl.bfloat16 else handle.data


def _narrow(numbers: Any) -> Any:
    """The bits of numbers in float32 after rounding to bfloat16, to nearest with ties to even."""
    bits = np.ascontiguousarray(np.asarray(numbers, dtype=np.float32)).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(bits.view(np.float32)), np.uint16(0x7FC0), rounded)


def _with_rounding(builder: Any, handle: Any, tl: Any) -> None:
    """Make casts to bfloat16 round to nearest, and make ops on bfloat16 compute with its numbers."""
    cast, of_codes = builder.cast_impl, builder.create_fp_to_fp
    binary, unary, dot = builder.binary_op, builder.unary_op, builder.create_dot

    def plain_cast(self: Any, src: Any, target: Any) -> Any:
        """A cast between formats other than bfloat16; 8-bit floats are held as their codes."""
        formats = (src.dtype.scalar, target.scalar)
        is_of_codes = all(each.is_floating() for each in formats) and any(each.primitive_bitwidth == 8 for each in formats)
        return of_codes(self, src, target, None) if is_of_codes and formats[0] != formats[1] else cast(self, src, target)

    def rounded_cast(self: Any, src: Any, target: Any) -> Any:
        source, wanted = src.dtype.scalar, target.scalar
        if tl.bfloat16 not in (source, wanted) or source == wanted:
            return plain_cast(self, src, target)
        if wanted == tl.bfloat16:
            is_code = source.is_floating() and source.primitive_bitwidth == 8
            return handle(_narrow((plain_cast(self, src, tl.float32) if is_code else src).data), wanted)
        found = handle(_wide(src, tl), tl.float32)
        return found if wanted == tl.float32 else plain_cast(self, found, target)

    def of_numbers(plain: Callable[..., Any]) -> Callable[..., Any]:
        def computed(self: Any, *operands: Any) -> Any:
            *handles, op = operands
            if all(operand.dtype.scalar != tl.bfloat16 for operand in handles):
                return plain(self, *operands)
            found = plain(self, *(handle(_wide(operand, tl), tl.float32) for operand in handles), op)
            return found if found.data.dtype != np.float32 else handle(_narrow(found.data), tl.bfloat16)

        return computed

    def of_products(self: Any, a: Any, b: Any, *others: Any) -> Any:
        wide = [handle(_wide(operand, tl), tl.float32) if operand.dtype.scalar == tl.bfloat16 else operand for operand in (a, b)]
        return dot(self, *wide, *others)

    builder.cast_impl, builder.create_dot = rounded_cast, of_products
    builder.create_fp_to_fp = lambda self, src, target, _mode: rounded_cast(self, src, target)
    builder.binary_op, builder.unary_op = of_numbers(binary), of_numbers(unary)


def _with_numbers(interpreter: Any, kind: Any, form: Any) -> Callable[..., Any]:
    """Give kernels tensors for Python numbers that are not whole, as a launch does."""
    plain = getattr(interpreter._implicit_cvt, "__wrapped__", interpreter._implicit_cvt)
    tensor = interpreter.tl.tensor

    @functools.wraps(plain)
    def given(argument: Any) -> Any:
        return (
            tensor(interpreter.TensorHandle(np.array([argument], dtype=kind), form), form) if type(argument) is float else plain(argument)
        )

    return given


def _with_counters(interpreter: Any, tl: Any) -> Callable[..., Any]:
    """Let loops count in tensors where the kernel needs one: `for i in range(n): at = i.to(tl.int64)`."""
    plain = interpreter._patch_lang

    class Counter(int):
        """A whole number from a loop, and what is computed only from such numbers."""

        dtype = tl.int32

        def to(self, dtype: Any, *others: Any, **more: Any) -> Any:
            handle = interpreter.TensorHandle(np.array([int(self)], dtype=np.int32), tl.int32)
            return tl.tensor(handle, tl.int32).to(dtype, *others, **more)

    def counted(name: str) -> Callable[..., Any]:
        computed = getattr(int, name)

        def of_counters(self: Any, *others: Any) -> Any:
            found = computed(self, *others)
            return Counter(found) if type(found) is int else found

        return of_counters

    for name in "add sub mul floordiv mod and or xor lshift rshift".split():
        setattr(Counter, f"__{name}__", counted(f"__{name}__"))
        setattr(Counter, f"__r{name}__", counted(f"__r{name}__"))
    Counter.__neg__ = counted("__neg__")

    def counting(*bounds: Any) -> Any:
        return map(Counter, range(*bounds))

    @functools.wraps(plain)
    def patched(function: Any) -> Any:
        scope = plain(function)
        put = setattr if scope is None else scope.set_attr  # before Triton 3.6 nothing is put back
        module = sys.modules.get(function.__module__)
        if module is not None and module.__dict__ is function.__globals__ and not hasattr(module, "range"):
            put(module, "range", counting)
        loops = tl.range
        put(tl, "range", lambda *bounds, **more: map(Counter, loops(*bounds, **more)))
        return scope

    return patched


def _with_functions(handle: Any, tl: Any) -> None:
    """The functions of libdevice, computed by PyTorch's."""
    special = torch.special
    others: dict[str, Callable[..., torch.Tensor]] = {
        "rint": torch.round, "nearbyint": torch.round, "llrint": torch.round, "fabs": torch.abs, "normcdf": special.ndtr,
        "round": lambda x: torch.sign(x) * torch.floor(torch.abs(x) + 0.5), "j0": special.bessel_j0, "j1": special.bessel_j1,
        "fast_expf": torch.exp, "fast_logf": torch.log, "fast_sinf": torch.sin, "fast_cosf": torch.cos, "fast_powf": torch.pow,
        "fast_tanhf": torch.tanh, "fast_dividef": torch.div, "div_rn": torch.div, "rcp_rn": torch.reciprocal, "sqrt_rn": torch.sqrt,
        "finitef": torch.isfinite, "fma": lambda x, y, z: x * y + z, "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    }  # fmt: skip

    def on_tensors(function: Callable[..., torch.Tensor]) -> Callable[..., Any]:
        def computed(*operands: Any, **_: Any) -> Any:
            first = next(operand for operand in operands if isinstance(operand, tl.core.tensor))
            arrays = [np.asarray(operand.handle.data if isinstance(operand, tl.core.tensor) else operand) for operand in operands]
            numbers = [torch.from_numpy(np.ascontiguousarray(array.astype(arrays[0].dtype))) for array in arrays]
            found = np.asarray(function(*numbers).numpy()).reshape(np.broadcast_shapes(*(array.shape for array in arrays)))
            if found.dtype == np.bool_:
                return tl.core.tensor(handle(found, tl.int1), first.type.with_element_ty(tl.int1) if first.type.is_block() else tl.int1)
            return tl.core.tensor(handle(found, first.dtype.scalar), first.type)

        return computed

    for place in ("libdevice", "cuda.libdevice", "hip.libdevice"):
        with contextlib.suppress(ImportError):
            module = import_module(f"triton.language.extra.{place}")
            for name in dir(module):
                function = others.get(name, getattr(torch, name, None))
                if function is not None and not name.startswith("_") and callable(getattr(module, name)):
                    setattr(module, name, on_tensors(function))


def _driver() -> Any:
    """A driver that answers what kernels ask about a device."""
    target = import_module("triton.backends.compiler").GPUTarget("cuda", 80, 32)
    limits = {"max_shared_mem": 163 << 10, "multiprocessor_count": 108, "max_num_regs": 1 << 16, "warpSize": 32}
    return types.SimpleNamespace(
        utils=types.SimpleNamespace(get_device_properties=lambda *_: dict(limits)), get_current_target=lambda: target,
        get_current_device=lambda: 0, get_device_capability=lambda *_: (8, 0), get_active_torch_device=lambda: torch.device("cuda", 0),
        get_device_interface=lambda: torch.cuda, get_current_stream=lambda *_: 0, set_current_device=lambda *_: None,
        get_empty_cache_for_benchmark=lambda: torch.empty(1), clear_cache=lambda *_: None,
    )  # fmt: skip


UNDER = "_halfulp_language"
"""The name of the language's module, for kernels that use its usual name for something else."""


class _Lifted:
    """`triton.language` with other formats: a kernel that names float32 gets float64."""

    def __init__(self, language: Any, formats: dict[str, Any]) -> None:
        self.__dict__.update(language=language, formats=formats)

    def __getattr__(self, name: str) -> Any:
        return self.formats.get(name) or getattr(self.language, name)


@contextlib.contextmanager
def lifted(names: Iterable[str]) -> Generator[None]:
    """Inside, kernels that name one of these formats compute in float64.

    Args:
        names: of formats, as PyTorch's dtypes are called.
    """
    language = sys.modules.get("triton.language")
    if language is None:
        yield
        return
    formats = dict.fromkeys(names, language.float64)
    changed: list[tuple[dict[str, Any], str]] = []
    for module in list(sys.modules.values()):
        held = getattr(module, "__dict__", {})
        if str(held.get("__name__", "")).partition(".")[0] in ("triton", "torch", "halfulp", "numpy"):
            continue
        for name, value in list(held.items()):
            if value is language and name != UNDER:
                # The interpreter looks for the language among the names of a kernel's file: it finds it under another one.
                held[UNDER] = language
                held[name] = _Lifted(language, formats)
                changed.append((held, name))
    interpreter: Any = import_module("triton.runtime.interpreter")
    builder, handle = interpreter.InterpreterBuilder, interpreter.TensorHandle
    plain, given = builder.get_fp32, interpreter._implicit_cvt
    interpreter._implicit_cvt = _with_numbers(interpreter, np.float64, language.float64)
    builder.get_fp32 = lambda _self, value: handle(np.array([value], dtype=np.float64), language.float64)
    try:
        yield
    finally:
        builder.get_fp32, interpreter._implicit_cvt = plain, given
        for held, name in changed:
            held[name] = language
