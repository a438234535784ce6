"""PyTorch: eager on a processor or another device, and torch.compile.

Eager code stays transparent: what watches PyTorch's ops (noise, recording) sees them.
"""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy
from torch.utils._pytree import tree_flatten, tree_map

from ...cases.dependencies import dependencies_of
from ...cases.state import State
from ...errors import MissingBackend, Unsupported
from ...recording import record
from ...traces import Trace
from ..adapter import Adapter
from ..arrays import as_numpy, as_tensor, is_array
from ..interface import Option
from ..knobs.knob import Knob
from ..knobs.settings import kept_flushing
from ..program import Program, of_arrays, of_function
from .placed_module import Placed

EVERYTHING = frozenset(("everything",))


class Direct:
    """A module or function called as it is, on one device.

    Args:
        target: what is called. device: where; None for where its inputs are.
    """

    def __init__(self, target: Any, device: str | None = None, dtypes: tuple[str, ...] = ()) -> None:
        self.target = target
        self.place = device
        self._dtypes = dtypes

    def __repr__(self) -> str:
        return f"<{getattr(self.target, 'op_name', type(self.target).__name__)} on {self.place or 'torch'}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """The result, in memory of its own, on the inputs' device; as arrays where the inputs are arrays."""
        given = tree_map(
            lambda item: item if isinstance(item, torch.Tensor) or not is_array(item) else as_tensor(item), (arguments, keywords)
        )
        tensors = [item for item in tree_flatten(given)[0] if isinstance(item, torch.Tensor)]
        moved = self._moved(given)
        result = self._called(*moved)
        found: Any = tree_map(lambda item: self._handed(item, tensors), result)
        if any(isinstance(item, torch.Tensor) for item in tree_flatten((arguments, keywords))[0]):
            return found
        return tree_map(lambda item: as_numpy(item.detach().cpu()) if isinstance(item, torch.Tensor) else item, found)

    def _own(self) -> list[torch.Tensor]:
        return [*self.target.parameters(), *self.target.buffers()] if isinstance(self.target, nn.Module) else []

    def _handed(self, value: Any, tensors: list[torch.Tensor]) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        value = value.to(tensors[0].device) if self.place is not None and tensors else value
        return value.clone() if any(_shares_memory(value, tensor) for tensor in (*tensors, *self._own())) else value

    def _moved(self, given: Any) -> Any:
        if self.place is None:
            return given
        for tensor in (*tree_flatten(given)[0], *self._own()):
            if (
                isinstance(tensor, torch.Tensor)
                and _part(tensor) not in self._dtypes
                and (tensor.is_floating_point() or tensor.is_complex())
            ):
                raise Unsupported(
                    f"Got {str(tensor.dtype).removeprefix('torch.')} for {self.place}. Needed: {', '.join(self._dtypes)}. That device refuses "
                    "others, or computes in another format without saying so. Convert the inputs (and the module) first."
                )
        return tree_map(lambda item: item.to(self.place) if isinstance(item, torch.Tensor) else item, given)

    def _called(self, arguments: Any, keywords: Any) -> Any:
        if self.place is None or not isinstance(self.target, nn.Module):
            return self.target(*arguments, **keywords)
        placed = Placed(self.target, self.place)
        result = placed.module(*arguments, **keywords)
        placed.give_back()
        return result


def _part(tensor: torch.Tensor) -> str:
    """The dtype of a tensor's numbers, or of their real parts."""
    return {"complex64": "float32", "complex128": "float64"}.get(
        str(tensor.dtype).removeprefix("torch."), str(tensor.dtype).removeprefix("torch.")
    )


def _shares_memory(left: torch.Tensor, right: torch.Tensor) -> bool:
    try:
        return left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr() and left.numel() > 0
    except (RuntimeError, NotImplementedError):  # a tensor that stands for another one, under a function transform
        return left is right


class OnDevice(Direct):
    """The same on another device than the processor."""

    def record(self, inputs: Sequence[Any], path: str | Path | None = None, *, keywords: Mapping[str, Any] | None = None) -> Trace:
        """Each op's values, see `halfulp.record`."""
        arguments, words = self._moved((tuple(inputs), dict(keywords or {})))
        there = Placed(self.target, str(self.place), leaves=True).module if isinstance(self.target, nn.Module) else self.target
        return record(there, arguments, path, level="tensors", keywords=words)


class Eager(Adapter):
    """PyTorch as it is, on the device of the inputs."""

    name = "torch"
    title = "PyTorch"
    packages = {"torch": "torch"}
    dtypes = ("float32", "float64", "bfloat16", "float16")

    def knobs(self) -> tuple[Knob, ...]:
        """PyTorch's own: see `knobs/table.py`."""
        from ..knobs import knobs

        return knobs()

    def fingerprint(self) -> dict[str, str]:
        """Version, threads and libraries."""
        from ...traces import fingerprint

        return fingerprint().sections["torch"]

    def implement(self, target: Any, **options: str) -> Any:
        """A module or function called as it is."""
        self.checked(options)
        if not callable(target):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: an nn.Module or a function of tensors. halfulp calls it. Pass one."
            )
        return Direct(target)

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """For a worker: the same in another process."""
        return of_function(of_arrays(target, arguments, keywords), lambda tensor: tensor, lambda item: item)


class _Device(Eager):
    """PyTorch on one kind of device, whatever device the inputs are on."""

    def implement(self, target: Any, **options: str) -> Any:
        """A module copied to the device; inputs go there and results come back."""
        self.checked(options)
        if not callable(target):
            raise Unsupported(
                f"Got {type(target).__name__} for {self.name}. Needed: an nn.Module or a function of tensors. halfulp calls it. Pass one."
            )
        state = self.availability()
        if not state:
            raise MissingBackend(
                f"Got {self.name}, which can't be used here: {state.reason}. Needed: {self.title}. Nothing can be computed without it. "
                f"{'Install it with ' + state.install if state.install else 'Provide what is missing, or run this on a machine where it can be used'}."
            )
        if isinstance(target, nn.Module) and any(isinstance(module, torch.jit.ScriptModule) for module in target.modules()):
            raise Unsupported(
                f"Got a TorchScript module for {self.name}. Needed: an ordinary Python module. halfulp can't make a copy of a TorchScript module that has its own parameters. Move the module to the device yourself, and call it from a function."
            )
        if isinstance(target, nn.Module) and any(is_lazy(parameter) for parameter in (*target.parameters(), *target.buffers())):
            raise Unsupported(
                f"Got a module for {self.name} whose parameters have no shape yet. Needed: initialized parameters. Lazy modules initialize them on the first call. Call the module once first."
            )
        return OnDevice(target, self.device(), self.dtypes)

    def device(self) -> str:
        """The device's name."""
        return self.name


class Cuda(_Device):
    """An NVIDIA (or AMD) GPU."""

    name = "cuda"
    title = "a CUDA device"

    def unusable(self) -> str:
        """Whether PyTorch sees one."""
        return "" if torch.cuda.is_available() else f"PyTorch {torch.__version__} sees no CUDA device"

    def fingerprint(self) -> dict[str, str]:
        """With the name of the device."""
        found = super().fingerprint()
        return {**found, "device": torch.cuda.get_device_name()} if torch.cuda.is_available() else found


class Mps(_Device):
    """Apple's GPU. It has no float64."""

    name = "mps"
    title = "an Apple GPU (Metal)"
    dtypes = ("float32", "bfloat16", "float16")

    def unusable(self) -> str:
        """Whether PyTorch sees one."""
        return "" if torch.backends.mps.is_available() else f"PyTorch {torch.__version__} sees no Metal device"


class Xpu(_Device):
    """Intel's GPU."""

    name = "xpu"
    title = "an Intel GPU"

    def unusable(self) -> str:
        """Whether PyTorch sees one."""
        found = getattr(torch, "xpu", None)
        return "" if found is not None and found.is_available() else f"PyTorch {torch.__version__} sees no Intel GPU"


class DirectML(_Device):
    """Any GPU under Windows, by torch-directml. float64 is refused here: the device computes it in float32 and doesn't say so."""

    name = "directml"
    title = "torch-directml on Windows (or WSL) with a GPU"
    packages = {"torch_directml": "torch-directml"}
    extra = "directml"
    dtypes = ("float32", "float16")

    def unusable(self) -> str:
        """Whether its package loads and sees a device."""
        if "torch_directml" not in sys.modules:
            reason = _directml_elsewhere()
            if reason:
                return reason
        try:
            module = import_module("torch_directml")
            return "" if module.is_available() else "torch_directml sees no device"
        except Exception as error:  # a missing driver layer, another version of PyTorch: whatever its libraries raise
            return f"torch_directml can't be loaded: {(str(error).splitlines() or [type(error).__name__])[0][:200]}"

    def device(self) -> str:
        """The default device of torch_directml."""
        return str(import_module("torch_directml").device())

    def fingerprint(self) -> dict[str, str]:
        """With the name of the device, and whether its driver says that it has float64 (which is no evidence that it computes in it)."""
        found = super().fingerprint()
        if not self.availability():
            return found
        module = import_module("torch_directml")
        name = str(module.device_name(module.default_device())).rstrip("\x00 ")
        return {**found, "device": name, "float64 supported by the driver": str(bool(module.has_float64_support(module.default_device())))}


@functools.cache
def _directml_elsewhere() -> str:
    """What keeps torch_directml from being used, as seen by another process: without WSL's driver it ends the one that asks."""
    program = "import torch_directml\nassert torch_directml.is_available(), 'torch_directml sees no device'"
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=ASKED_S,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"torch_directml has not answered in {ASKED_S} s"
    if done.returncode == 0:
        return ""
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if done.returncode < 0 or not last:
        return f"torch_directml crashes ({signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode})"
    words = last.partition(": ")[2] or last
    return words if last.startswith("AssertionError") else f"torch_directml can't be loaded: {words[:200]}"


ASKED_S = 60
"""How long it may take to load PyTorch and find a device."""


LIMITS = {
    **dict.fromkeys(("recompile_limit", "accumulated_recompile_limit", "cache_size_limit", "accumulated_cache_size_limit"), 1 << 20),
    "fail_on_recompile_limit_hit": True,
}
"""How often one code object may be compiled; the names with "cache_size" are those of PyTorch 2.4."""


def compiled_fully(target: Callable[..., Any], mode: str = "default") -> Callable[..., Any]:
    """torch.compile for fixed shapes. Where the compiler gives up after many shapes it is an error: code would quietly run uncompiled.

    All modules of one class share one code object, as do all built-in functions, whose programs are limited to a handful by default.
    """
    import torch._dynamo.config as dynamo

    compiled = torch.compile(target, dynamic=False, mode=mode)

    @functools.wraps(target)
    def call(*given: Any, **words: Any) -> Any:
        # What PyTorch 2.4's compiler builds turns on the flushing of subnormal numbers when it is loaded.
        with dynamo.patch({name: value for name, value in LIMITS.items() if hasattr(dynamo, name)}), kept_flushing():
            return compiled(*given, **words)

    return call


class Compiled(Adapter):
    """torch.compile with TorchInductor, for fixed shapes."""

    name = "torch.compile"
    title = "torch.compile"
    packages = {"torch": "torch"}
    dtypes = ("float32", "float64", "bfloat16", "float16")
    builds_slowly = True
    holds_weights = False
    options = (
        Option("mode", ("default", "max-autotune-no-cudagraphs"), "kernels chosen by timing", EVERYTHING, {
            "default": 'torch.compile(mode="default")', "max-autotune-no-cudagraphs": 'torch.compile(mode="max-autotune-no-cudagraphs")',
        }),
    )  # fmt: skip

    def unusable(self) -> str:
        """TorchInductor needs a C++ compiler."""
        import shutil

        return "" if any(shutil.which(name) for name in ("g++", "clang++", "cl")) else "no C++ compiler (g++, clang++ or cl) on the path"

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """See `Adapter.build`."""
        call = compiled_fully(target, options["mode"])
        program = of_function(of_arrays(call, arguments, keywords), lambda tensor: tensor, lambda item: item)
        with State(dependencies_of(target)).put_back():  # compiled now, by a run that nobody asked for
            program.run([item for item in tree_flatten((arguments, dict(keywords)))[0] if isinstance(item, torch.Tensor)])
        return program
