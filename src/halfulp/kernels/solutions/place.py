"""Where a solution runs: as it is, on a CUDA device, or where there is none on a stand-in for one (for Triton, in its interpreter).

The reference runs on the processor in any case: a solution's process is given its tensors on the device, and its results come back.
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
"""What CUDA's driver writes besides: names of its threads."""


def place_of(text: str) -> str:
    """Where code runs, by what its text names and what it imports: `HERE`, `CUDA`, `STAND_IN` or `INTERPRETER`."""
    import torch

    builds_on_triton = "triton" in text or builds_on("triton", text)
    if not builds_on_triton and "cuda" not in text:
        return HERE
    return CUDA if torch.cuda.is_available() else INTERPRETER if builds_on_triton else STAND_IN


def builds_on(name: str, text: str) -> bool:
    """Whether code imports a package that requires another one, as the metadata of the package say: `liger_kernel` requires Triton."""
    return any(name in _required(package) for package in re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE))


def _required(package: str) -> set[str]:
    """The names of what a package requires in any case; nothing where it is not installed, or is imported by another name."""
    try:
        wanted = metadata.requires(package) or []
    except (metadata.PackageNotFoundError, ValueError):
        return set()
    return {re.split(r"[^\w.-]", words, maxsplit=1)[0] for words in wanted if "extra ==" not in words} if package not in OWN else set()


OWN = ("torch", "halfulp")
"""What requires Triton for itself: that says nothing of code which imports it."""


def device_files() -> tuple[Path, ...]:
    """What has to be opened for writing to use a device."""
    return (*sorted(Path("/dev").glob("nvidia*")), *(Path(path) for path in WRITTEN))


def open_device() -> int:
    """Make this process's context on the device, before memory is limited; how many bytes of addresses the device itself may take.

    Products and convolutions of PyTorch's keep all bits of float32 here: convolutions would take TF32 by default, and what the solution
    computes itself could not be told from it.
    """
    import torch

    torch.zeros(1, device=CUDA)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    return 2 * torch.cuda.get_device_properties(0).total_memory  # it is mapped once, and again where segments grow


def given_to(place: str, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Tensors where a solution expects them."""
    return [tensor.to(CUDA) for tensor in tensors] if place == CUDA else list(tensors)


def taken_from(place: str, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Copies that were made of a solution's tensors, on the processor."""
    return [tensor.cpu() for tensor in tensors] if place == CUDA else list(tensors)


def is_lost(place: str, words: str) -> bool:
    """Whether a process can't use its device any more: every call fails after one that touched memory which isn't there."""
    return place == CUDA and any(name in words for name in ("CUDA error", "cudaError", "CUDA: "))
