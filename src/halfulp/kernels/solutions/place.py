"""Where a solution runs: as it is, on a CUDA device, or on a stand-in for one (for Triton, in its interpreter).

The reference always runs on the processor: tensors are moved to the device in the process of the solution, and its results are moved back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # PyTorch starts threads when it is imported, and a process is confined before it has any
    import torch

HERE, CUDA, STAND_IN, INTERPRETER = "", "cuda", "stand-in", "interpreter"
WRITTEN: tuple[str, ...] = ("/proc/self",)
"""What CUDA's driver writes besides: the names of its threads."""


def place_of(text: str) -> str:
    """Where code runs, according to the names in its text and its imports: `HERE`, `CUDA`, `STAND_IN` or `INTERPRETER`."""
    import torch

    builds_on_triton = "triton" in text or builds_on("triton", text)
    if not builds_on_triton and "cuda" not in text:
        return HERE
    return CUDA if torch.cuda.is_available() else INTERPRETER if builds_on_triton else STAND_IN


def builds_on(name: str, text: str) -> bool:
    """Whether code imports a package that requires another one, by the packages' metadata: `liger_kernel` requires Triton."""
    return any(name in _required(package) for package in re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE))


def _required(package: str) -> set[str]:
    """The unconditional requirements of a package; none if it is not installed, or is imported under another name."""
    try:
        wanted = metadata.requires(package) or []
    except (metadata.PackageNotFoundError, ValueError):
        return set()
    return {re.split(r"[^\w.-]", words, maxsplit=1)[0] for words in wanted if "extra ==" not in words} if package not in OWN else set()


OWN = ("torch", "halfulp")
"""Packages that require Triton for themselves: importing them says nothing."""


def device_files() -> tuple[Path, ...]:
    """The files that must be opened for writing to use a device."""
    return (*sorted(Path("/dev").glob("nvidia*")), *(Path(path) for path in WRITTEN))


def open_device() -> int:
    """Create the context of this process on the device before memory is limited; returns how many bytes of addresses the device may take.

    Products and convolutions of PyTorch keep all bits of float32 here. Convolutions would use TF32 by default, and that could not be told
    from what the solution computes itself.
    """
    import torch

    torch.zeros(1, device=CUDA)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    return 2 * torch.cuda.get_device_properties(0).total_memory  # it is mapped once, and again where segments grow


def given_to(place: str, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Tensors where a solution expects them."""
    return [tensor.to(CUDA) for tensor in tensors] if place == CUDA else list(tensors)


def taken_from(place: str, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Copies of a solution's tensors on the processor."""
    return [tensor.cpu() for tensor in tensors] if place == CUDA else list(tensors)


def is_lost(place: str, words: str) -> bool:
    """Whether a process can't use its device any more: after a call that accessed memory out of bounds, every call fails."""
    return place == CUDA and any(name in words for name in ("CUDA error", "cudaError", "CUDA: "))
