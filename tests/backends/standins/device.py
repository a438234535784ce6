"""DirectML's stand-in: the device privateuseone:0, registered with PyTorch as torch_directml registers its own.

Tensors are plain `torch.Tensor`s, autograd runs them in a thread of their own, and every op goes through PyTorch's dispatcher. This can't be
undone: call `registered()` in a process of its own, before its first backward pass, which sizes autograd's queues once and for all.
"""

from __future__ import annotations

import functools
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import torch

from .memory import ATEN, Lender, patch_storages

NAME = "privateuseone"


class _Module:
    """What becomes torch.privateuseone: what torch_directml 0.2.5 puts there, and what the queues of autograd ask for."""

    is_available = staticmethod(lambda: True)
    is_initialized = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
    current_device = staticmethod(lambda: 0)
    device_name = staticmethod(lambda place=0: "Stand-in adapter")
    get_amp_supported_dtype = staticmethod(lambda: [torch.float16])
    get_rng_state = staticmethod(lambda device=None: torch.default_generator.get_state())
    set_rng_state = staticmethod(lambda state, device=None: torch.default_generator.set_state(state))
    manual_seed_all = staticmethod(lambda seed: torch.default_generator.manual_seed(seed))
    synchronize = staticmethod(lambda device=None: None)
    _is_in_bad_fork = staticmethod(lambda: False)


@functools.cache
def registered() -> Lender:
    """The device, as PyTorch knows it from now on."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    # Without the name the backward pass finds no accelerator.
    _setup_privateuseone_for_python_backend(NAME, backend_module=_Module)

    def blank(dtype: torch.dtype) -> torch.Tensor:
        return torch._C._acc.create_empty_tensor((0,), dtype)

    def is_lent(value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.device.type == NAME

    lender = Lender(torch.device(NAME, 0), blank, is_lent)
    patch_storages(setattr, lender.lend)
    _register_kernels(lender)
    return lender


_libraries: list[torch.library.Library] = []
"""Kernels stay registered for as long as their library lives."""


def _register_kernels(lender: Lender) -> None:
    everything, aten = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
    _libraries.extend((everything, aten))

    def fallback(op: Any, *arguments: Any, **keywords: Any) -> Any:
        return lender.answer(op, arguments, keywords)

    everything.fallback(fallback, "PrivateUse1")
    everything.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    # These have kernels that come before a fallback: convolutions one that only raises, structured ops (add, mul_, cumsum) one that
    # allocates and calls their out= form. A real device brings its own.
    structured = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeExplicitAutogradNonFunctional")
    for full in ("aten::convolution_overrideable", "aten::convolution_backward_overrideable", *structured):
        namespace, _, rest = full.partition("::")
        name, _, overload = rest.partition(".")
        if namespace == "aten":
            op = getattr(getattr(ATEN, name), overload or "default")
            aten.impl(rest, functools.partial(fallback, op), "PrivateUse1")


def package() -> ModuleType:
    """What `import torch_directml` gives, for sys.modules."""
    module = ModuleType("torch_directml")
    module.__spec__ = ModuleSpec("torch_directml", None)
    module.is_available = lambda: True
    module.device_count = lambda: 1
    module.device_name = _Module.device_name
    module.default_device = lambda: 0
    module.device = lambda place=None: torch.device(NAME, place or 0)
    module.has_float64_support = lambda place=0: True  # of storing it: there is no arithmetic in float64 (DirectML#309)
    return module
