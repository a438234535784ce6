"""Fingerprint: the versions, hardware and settings that decide which bits come out.

Frameworks are looked up in `sys.modules`: what isn't loaded has no settings in this process, and is listed by version only.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("halfulp", "torch", "numpy", "numba", "safetensors", "jax", "onnxruntime", "openvino", "executorch", "tensorflow", "triton")
VARIABLES = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "OPENBLAS_CORETYPE",
    "ONEDNN_MAX_CPU_ISA", "ONEDNN_DEFAULT_FPMATH_MODE", "ATEN_CPU_CAPABILITY", "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "XLA_FLAGS", "TF_ENABLE_ONEDNN_OPTS",
)  # fmt: skip


@dataclass(frozen=True)
class Fingerprint:
    """Where something ran.

    Attributes:
        sections: "machine", "packages", "environment variables", "torch" (if loaded): names and values as text.
        surprises: settings found here that are known to change results in ways that users don't expect.
    """

    sections: dict[str, dict[str, str]]
    surprises: tuple[str, ...]

    def to_json(self) -> str:
        """The fingerprint as JSON with a schema number."""
        return json.dumps({"schema": 1, "sections": self.sections, "surprises": list(self.surprises)}, indent=1)

    @staticmethod
    def from_content(content: Any) -> Fingerprint:
        """The fingerprint that `to_json` wrote, parsed.

        Raises:
            ValueError: it is none.
        """
        sections = content["sections"]
        if content["schema"] != 1 or not isinstance(sections, dict):
            raise ValueError("a fingerprint of another schema")
        text = {str(name): {str(key): str(value) for key, value in dict(entries).items()} for name, entries in sections.items()}
        return Fingerprint(text, tuple(str(each) for each in content["surprises"]))

    def differences(self, other: Fingerprint) -> list[tuple[str, str, str]]:
        """Where two fingerprints differ: (section and name, here, there)."""
        found: list[tuple[str, str, str]] = []
        for section in sorted({*self.sections, *other.sections}):
            here, there = self.sections.get(section, {}), other.sections.get(section, {})
            names = sorted({*here, *there})
            found += [
                (f"{section}: {name}", here.get(name, "-"), there.get(name, "-")) for name in names if here.get(name) != there.get(name)
            ]
        return found


def fingerprint() -> Fingerprint:
    """The fingerprint of this process, with settings of PyTorch when it is loaded."""
    sections = {"machine": _machine(), "packages": _packages(), "environment variables": _variables()}
    surprises: list[str] = []
    torch = sys.modules.get("torch")
    if torch is not None:
        sections["torch"] = _torch_settings(torch)
        surprises = _surprises(torch)
    return Fingerprint(sections, tuple(surprises))


def _machine() -> dict[str, str]:
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        models = re.findall(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(errors="replace"), re.MULTILINE)
        name = models[0] if models else name
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": name,
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
    }


def _packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found["BLAS of NumPy"] = _numpy_blas()
    return found


def _numpy_blas() -> str:
    config: Any = np.show_config(mode="dicts")
    blas = (config or {}).get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def _variables() -> dict[str, str]:
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def _torch_settings(torch: Any) -> dict[str, str]:
    parallel = torch.__config__.parallel_info()
    build = torch.__config__.show()
    onednn = re.search(r"MKL-DNN (v[\w.]+)", build)
    mkl = re.search(r"Math Kernel Library Version ([\w.-]+)", build)
    settings = {
        "CPU capability": str(torch.backends.cpu.get_cpu_capability()),
        "BLAS": f"MKL {mkl.group(1)}" if mkl else "see torch.__config__.show()",
        "oneDNN": f"{onednn.group(1) if onednn else 'unknown version'}, {'on' if torch.backends.mkldnn.enabled else 'off'}",
        "NNPACK": "on" if torch.backends.nnpack.is_available() else "off",
        "threads": f"{torch.get_num_threads()} within an op, {torch.get_num_interop_threads()} between ops",
        "OpenMP": "yes" if "OpenMP" in parallel else "no",
        "default dtype": str(torch.get_default_dtype()),
        "float32 matmul precision": torch.get_float32_matmul_precision(),
        "deterministic algorithms": str(torch.are_deterministic_algorithms_enabled()),
        "CUDA": torch.version.cuda or "not in this build",
        "CUDA devices": str(torch.cuda.device_count()),
        "MPS": str(torch.backends.mps.is_available()),
    }
    if torch.cuda.is_available():
        settings["CUDA matmul allow_tf32"] = str(torch.backends.cuda.matmul.allow_tf32)
        settings["cuDNN allow_tf32"] = str(torch.backends.cudnn.allow_tf32)
        settings["cuDNN benchmark"] = str(torch.backends.cudnn.benchmark)
        settings["device"] = torch.cuda.get_device_name(0)
    return settings


def _surprises(torch: Any) -> list[str]:
    """Each probe is a measurement on this machine, not a table of versions."""
    found: list[str] = []
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(1 << 16, generator=generator) * 3.5 + 0.5
    wrong = int((torch.sqrt(values).numpy() != np.sqrt(values.numpy())).sum())
    if wrong:
        found.append(
            f"torch.sqrt is not correctly rounded here: {100 * wrong / values.numel():.0f} % of float32 results in [0.5, 4) differ "
            "from NumPy's in the last bit."
        )
    subnormal = torch.full((64,), 1e-40)
    if not bool((subnormal * 1.0 != 0).all()):
        found.append(
            "PyTorch flushes subnormal numbers to zero in this process (torch.set_flush_denormal, or a library compiled with -ffast-math)."
        )
    if float(np.float32(1e-40) * np.float32(1.0)) == 0.0:
        found.append("NumPy flushes subnormal numbers to zero in this process: a loaded library was compiled with -ffast-math.")
    if torch.get_float32_matmul_precision() != "highest":
        found.append(
            f"torch.set_float32_matmul_precision is {torch.get_float32_matmul_precision()!r}: float32 products may be computed in "
            "TF32 or bfloat16."
        )
    if torch.backends.nnpack.is_available() and not torch.backends.mkldnn.enabled:
        found.append("oneDNN is off: 3x3 convolutions of 16 or more images go to NNPACK's Winograd kernel, which loses about one digit.")
    if torch.cuda.is_available() and torch.backends.cudnn.allow_tf32:
        found.append("cuDNN may compute float32 convolutions in TF32 (torch.backends.cudnn.allow_tf32 is True, its default).")
    if torch.get_num_threads() > 1:
        found.append("Results may depend on the number of threads: compare runs with the same torch.set_num_threads.")
    if torch.get_default_dtype() != torch.float32:
        found.append(f"The default dtype is {torch.get_default_dtype()}, not float32.")
    return found
