"""Settings of PyTorch: exchanged for a while and put back, read together, applied in another process."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any

import torch

from ...process.settings import flushes

_switches: Any = vars(torch)["_C"]  # where PyTorch keeps NNPACK's switch: torch.backends has no way to read it


@contextlib.contextmanager
def exchanged(read: Callable[[], Any], write: Callable[[Any], Any], value: Any) -> Generator[None]:
    """A setting has another value inside."""
    before = read()
    try:
        write(value)
        yield
    finally:
        write(before)


def owner_of(path: str) -> Any:
    """The object under `torch.backends` that has a dotted path ("mkldnn.matmul"); None where this version lacks it."""
    owner: Any = torch.backends
    for name in filter(None, path.split(".")):
        owner = getattr(owner, name, None)
    return owner


@contextlib.contextmanager
def attribute(path: str, value: Any) -> Generator[None]:
    """An attribute under `torch.backends` has another value inside."""
    parent, _, name = path.rpartition(".")
    owner = owner_of(parent)
    with exchanged(lambda: getattr(owner, name), lambda item: setattr(owner, name, item), value):
        yield


PRECISIONS = ("", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn", "cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn")
"""Owners of an `fp32_precision`, from the general to the special."""


@contextlib.contextmanager
def precisions_kept() -> Generator[None]:
    """All `fp32_precision` settings and the float32 matmul precision come back afterwards: the general ones overwrite the special ones."""
    before = {path: owner_of(path).fp32_precision for path in PRECISIONS if hasattr(owner_of(path), "fp32_precision")}
    legacy = _legacy_precision()
    try:
        yield
    finally:
        if legacy is not None and legacy != _legacy_precision():
            torch.set_float32_matmul_precision(legacy)
        for path, value in before.items():
            if owner_of(path).fp32_precision != value:
                owner_of(path).fp32_precision = value


def _legacy_precision() -> str | None:
    with contextlib.suppress(RuntimeError):  # refuses an answer where the new switches contradict each other
        return torch.get_float32_matmul_precision()
    return None


@contextlib.contextmanager
def fp32_precision(path: str, value: str) -> Generator[None]:
    """An `fp32_precision` has another value inside."""
    with precisions_kept():
        owner_of(path).fp32_precision = value
        yield


@contextlib.contextmanager
def matmul_precision(value: str) -> Generator[None]:
    """`torch.set_float32_matmul_precision` inside."""
    with precisions_kept():
        torch.set_float32_matmul_precision(value)
        yield


@contextlib.contextmanager
def flushing(on: bool) -> Generator[None]:
    """Subnormal numbers are flushed to zero inside, or kept."""
    before = flushes()
    torch.set_flush_denormal(on)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


@contextlib.contextmanager
def kept_flushing() -> Generator[None]:
    """Whatever is loaded inside, subnormal numbers are treated afterwards as before."""
    before = flushes()
    try:
        yield
    finally:
        if flushes() != before:
            torch.set_flush_denormal(before)


@contextlib.contextmanager
def deterministic() -> Generator[None]:
    """Deterministic algorithms where there are any."""
    on, warn_only = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(on, warn_only=warn_only)


@contextlib.contextmanager
def nnpack(on: bool) -> Generator[None]:
    """NNPACK is used inside, or not."""
    with exchanged(_switches._get_nnpack_enabled, _switches._set_nnpack_enabled, on):
        yield


def read_settings() -> dict[str, Any]:
    """Every setting that knobs change, as plain values: what another process needs to compute alike."""
    return {
        "threads": torch.get_num_threads(),
        "default dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "oneDNN": bool(torch.backends.mkldnn.enabled),
        "NNPACK": bool(_switches._get_nnpack_enabled()),
        "matmul precision": _legacy_precision(),
        "fp32_precision": {path: owner_of(path).fp32_precision for path in PRECISIONS if hasattr(owner_of(path), "fp32_precision")},
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "deterministic warns only": torch.is_deterministic_algorithms_warn_only_enabled(),
        "flush subnormals": flushes(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "encoder fast path": torch.backends.mha.get_fastpath_enabled(),
        "attention": {name: bool(getattr(torch.backends.cuda, f"{name}_sdp_enabled")()) for name in ("flash", "mem_efficient", "math")},
        "autocast": {kind: torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda")},
        "cuDNN": {name: getattr(torch.backends.cudnn, name) for name in ("enabled", "benchmark", "deterministic", "allow_tf32")},
        "CUDA matmul": {
            name: getattr(torch.backends.cuda.matmul, name)
            for name in ("allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")
        },
    }


def apply_settings(settings: dict[str, Any]) -> None:
    """Make this process compute as the one whose settings were read (the part that CPU results depend on)."""
    torch.set_num_threads(settings["threads"])
    torch.set_default_dtype(getattr(torch, settings["default dtype"]))
    torch.backends.mkldnn.enabled = settings["oneDNN"]  # pyright: ignore[reportAttributeAccessIssue]
    _switches._set_nnpack_enabled(settings["NNPACK"])
    if settings["matmul precision"] is not None:
        torch.set_float32_matmul_precision(settings["matmul precision"])
    for path, value in settings["fp32_precision"].items():
        owner = owner_of(path)
        if getattr(owner, "fp32_precision", value) != value:
            owner.fp32_precision = value
    torch.use_deterministic_algorithms(settings["deterministic"], warn_only=settings["deterministic warns only"])
    torch.set_flush_denormal(settings["flush subnormals"])
    torch.backends.mha.set_fastpath_enabled(settings["encoder fast path"])
    torch.set_grad_enabled(settings["gradients"])


CACHES = ("cache", "fx_graph", "autotune_local", "autotune_remote", "bundled")
"""Parts of names of inductor's settings that don't travel: each process has caches of its own."""


def inductor_settings() -> dict[str, Any]:
    """Inductor's settings that are plain values; empty where it isn't loaded."""
    config: Any = sys.modules.get("torch._inductor.config")
    if config is None:
        return {}
    plain = {key: value for key, value in config.get_config_copy().items() if isinstance(value, (bool, int, float, str, type(None)))}
    return {key: value for key, value in plain.items() if not any(part in key for part in CACHES)}


def apply_inductor_settings(settings: dict[str, Any]) -> None:
    """Give inductor the settings that another process had."""
    if not settings:
        return
    from torch._inductor import config

    present = config.get_config_copy()
    for key, value in settings.items():
        if key in present and present[key] != value:
            with contextlib.suppress(Exception):  # some can only be read
                owner: Any = config
                *path, name = key.split(".")
                for part in path:
                    owner = getattr(owner, part)
                setattr(owner, name, value)
