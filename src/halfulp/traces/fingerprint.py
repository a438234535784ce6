"""Fingerprint: the versions, hardware and settings that decide which bits come out.

Frameworks are looked up in `sys.modules`: what isn't loaded has no settings in this process, and is listed by version only.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
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

from ..documents import document, text_of
from ..errors import InputError
from ..files import path_of
from ..process.versions import cpuinfo, processor, system
from ..shown import shown

PACKAGES = (
    "halfulp torch torch-directml torchvision torchaudio numpy scipy numba safetensors jax jaxlib onnx onnxruntime "
    "onnxruntime-gpu onnxruntime-directml openvino executorch tensorflow ai-edge-litert mlx ncnn triton transformers accelerate "
    "flash-attn xformers torchao bitsandbytes apex mkl intel-extension-for-pytorch nvidia-cudnn-cu12 nvidia-cublas-cu12 "
    "nvidia-cudnn-cu13 nvidia-cublas"
).split()
VARIABLES = (
    "OMP_NUM_THREADS OMP_PROC_BIND KMP_AFFINITY KMP_BLOCKTIME MKL_NUM_THREADS MKL_DYNAMIC OPENBLAS_NUM_THREADS MKL_CBWR "
    "MKL_ENABLE_INSTRUCTIONS MKL_DEBUG_CPU_TYPE OPENBLAS_CORETYPE BLIS_NUM_THREADS ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA "
    "ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE ONEDNN_PRIMITIVE_CACHE_CAPACITY ATEN_CPU_CAPABILITY ATEN_NUM_THREADS "
    "NVIDIA_TF32_OVERRIDE CUBLAS_WORKSPACE_CONFIG CUDA_LAUNCH_BLOCKING TORCH_ALLOW_TF32_CUBLAS_OVERRIDE "
    "TORCH_CUDNN_V8_API_DISABLED TORCHINDUCTOR_MAX_AUTOTUNE TORCHINDUCTOR_FREEZING TORCHINDUCTOR_EMULATE_PRECISION_CASTS "
    "TORCH_COMPILE_DISABLE PYTORCH_JIT PYTORCH_MPS_FAST_MATH PYTORCH_ENABLE_MPS_FALLBACK PYTORCH_TUNABLEOP_ENABLED "
    "HIPBLASLT_ALLOW_TF32 ROCBLAS_INTERNAL_FP16_ALT_IMPL MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL XLA_FLAGS "
    "JAX_DEFAULT_MATMUL_PRECISION JAX_ENABLE_X64 TF_ENABLE_ONEDNN_OPTS PYTHONHASHSEED"
).split()
INSTRUCTIONS = (
    "sse4_2 avx fma avx2 avx512f avx512vl avx512_vnni avx512_bf16 avx512_fp16 amx_tile amx_bf16 amx_fp16 asimd sve sve2 bf16"
).split()
"""Flags of a processor by which libraries choose their kernels."""

ORDER = ("environment variables", "torch", "packages", "machine", "run")
"""Sections by how often a difference in them explains a difference of results: in 33 of 170 user reports the remedy was a switch."""

LIBRARY = "backend"
"""The section with settings of a library that isn't watched op by op, but gives its values."""


@shown
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
        return text_of(document("fingerprint", self))

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
        return Fingerprint(text, tuple(str(item) for item in content["surprises"]))

    def differences(self, other: Fingerprint) -> list[tuple[str, str, str]]:
        """Where two fingerprints differ, most likely culprits first: (section and name, here, there)."""
        found: list[tuple[str, str, str]] = []
        sections = {*self.sections, *other.sections}
        for section in sorted(sections, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)):
            here, there = self.sections.get(section, {}), other.sections.get(section, {})
            names = sorted({*here, *there})
            found += [
                (f"{section}: {name}", here.get(name, "-"), there.get(name, "-")) for name in names if here.get(name) != there.get(name)
            ]
        return found

    def with_section(self, name: str, entries: dict[str, str]) -> Fingerprint:
        """The same with one section more."""
        return Fingerprint({**self.sections, name: entries}, self.surprises)


def read_fingerprint(source: str | Path) -> Fingerprint:
    """The fingerprint in a trace, a datasheet or the JSON of `halfulp doctor --json`; of this process for "here".

    Raises:
        InputError: the file is missing or holds none.
    """
    if str(source) == "here":
        importlib.import_module("torch") if importlib.util.find_spec("torch") is not None else None
        return fingerprint()
    path = path_of(source)
    for candidate in (path / "manifest.json", path.with_name(path.name + ".partial") / "manifest.json", path):
        if candidate.is_file():
            try:
                content = json.loads(candidate.read_bytes())
                found = content.get("fingerprint", content)
                return Fingerprint.from_content(found if "sections" in found else {"schema": 1, "sections": found, "surprises": []})
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise InputError(
                    f"Got {candidate}, which has no fingerprint ({type(error).__name__}). Needed: a trace, a datasheet, "
                    f"or what "
                    "`halfulp doctor --json` printed. Nothing was compared. Check the file."
                ) from error
    raise InputError(
        f"Got {path}, which does not exist. Needed: a trace, a datasheet, or what `halfulp doctor --json` printed; 'here' stands for this "
        "machine. "
        "Nothing was compared. Check the path."
    )


def fingerprint() -> Fingerprint:
    """The fingerprint of this process, with settings of PyTorch when it is loaded."""
    sections = {"machine": dict(_machine()), "packages": dict(_packages()), "environment variables": _variables()}
    surprises: list[str] = []
    torch = sys.modules.get("torch")
    if torch is not None:
        sections["torch"] = _torch_settings(torch)
        surprises = _surprises(torch)
    return Fingerprint(sections, tuple(surprises))


@functools.cache
def _machine() -> dict[str, str]:
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", cpuinfo(), re.MULTILINE)
    known = set(flags.group(1).split()) if flags else set[str]()
    return {
        "system": system(),
        "architecture": platform.machine(),
        "processor": processor(),
        "instruction sets": " ".join(literal_string for literal_string in INSTRUCTIONS if literal_string in known) or "unknown",
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
    }


@functools.cache
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
    return {name: _without_paths(os.environ[name]) for name in VARIABLES if name in os.environ}


def _without_paths(text: str) -> str:
    """The value of a variable; whatever looks like a path tells names of users and machines."""
    return re.sub(r"[^\s=,;]*[/\\][^\s,;]*", "(path)", text)


def _torch_settings(torch: Any) -> dict[str, str]:
    parallel = torch.__config__.parallel_info()
    build = torch.__config__.show()
    onednn = re.search(r"MKL-DNN (v[\w.]+)", build)
    mkl = re.search(r"Math Kernel Library Version ([\w.-]+)", build)
    openmp = re.search(r"OpenMP (\d+[\w. ]*)", build)
    settings = {
        "CPU capability": str(torch.backends.cpu.get_cpu_capability()),
        "BLAS": f"MKL {mkl.group(1)}" if mkl else "see torch.__config__.show()",
        "oneDNN": f"{onednn.group(1) if onednn else 'unknown version'}, {'on' if torch.backends.mkldnn.enabled else 'off'}",
        "NNPACK": "on" if torch.backends.nnpack.is_available() else "off",
        "threads": f"{torch.get_num_threads()} within an op, {torch.get_num_interop_threads()} between ops",
        "OpenMP": (openmp.group(1).strip() if openmp else "yes") if "OpenMP" in parallel else "no",
        "default dtype": str(torch.get_default_dtype()),
        "float32 matmul precision": torch.get_float32_matmul_precision(),
        "deterministic algorithms": str(torch.are_deterministic_algorithms_enabled()),
        "fill uninitialized memory": str(getattr(torch.utils.deterministic, "fill_uninitialized_memory", "-")),
        "flushes subnormal numbers": str(not bool((torch.full((64,), 1e-40, dtype=torch.float32) * 1.0 != 0).all())),
        "autocast": _autocast(torch),
        "CUDA": torch.version.cuda or "not in this build",
        "ROCm": torch.version.hip or "not in this build",
        "CUDA devices": str(torch.cuda.device_count()),
        "MPS": str(torch.backends.mps.is_available()),
    }
    settings |= _precisions(torch)
    if torch.cuda.is_available():
        settings |= _cuda_settings(torch)
    directml = sys.modules.get("torch_directml")
    if directml is not None:
        settings["DirectML device"] = ", ".join(directml.device_name(k) for k in range(directml.device_count()))
    return settings


def _autocast(torch: Any) -> str:
    on = [kind for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
    return ", ".join(f"{kind} {torch.get_autocast_dtype(kind)}" for kind in on) or "off"


def _precisions(torch: Any) -> dict[str, str]:
    """The fp32_precision switches, where this version has them."""
    found: dict[str, str] = {}
    parts = ("", "mkldnn", "mkldnn.matmul", "mkldnn.conv", "mkldnn.rnn", "cuda.matmul", "cudnn", "cudnn.conv", "cudnn.rnn")
    for part in parts:
        owner: Any = torch.backends
        for name in filter(None, part.split(".")):
            owner = getattr(owner, name, None)
        precision = getattr(owner, "fp32_precision", None)
        if isinstance(precision, str):
            found[f"{part}.fp32_precision".lstrip(".")] = precision
    return found


def _cuda_settings(torch: Any) -> dict[str, str]:
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": torch.cuda.get_device_name(0),
        "compute capability": f"{properties.major}.{properties.minor}",
        "driver": _driver(),
        "cuDNN": str(cudnn.version()),
        "CUDA matmul allow_tf32": str(matmul.allow_tf32),
        "CUDA matmul allow_fp16_reduced_precision_reduction": str(matmul.allow_fp16_reduced_precision_reduction),
        "CUDA matmul allow_bf16_reduced_precision_reduction": str(matmul.allow_bf16_reduced_precision_reduction),
        "cuDNN allow_tf32": str(cudnn.allow_tf32),
        "cuDNN benchmark": str(cudnn.benchmark),
        "cuDNN deterministic": str(cudnn.deterministic),
        "attention kernels": ", ".join(
            name
            for name in ("flash", "mem_efficient", "math", "cudnn")
            if getattr(torch.backends.cuda, f"{name}_sdp_enabled", lambda: False)()
        ),
    }


def _driver() -> str:
    version = Path("/proc/driver/nvidia/version")
    found = re.search(r"Kernel Module\D*([\d.]+)", version.read_text(errors="replace")) if version.is_file() else None
    return found.group(1) if found else "unknown"


def _surprises(torch: Any) -> list[str]:
    """Each probe is a measurement on this machine, not a table of versions."""
    found: list[str] = []
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(1 << 16, generator=generator) * 3.5 + 0.5
    wrong = int((torch.sqrt(values).numpy() != np.sqrt(values.numpy())).sum())
    if wrong:
        found.append(
            f"torch.sqrt is not correctly rounded here: for {100 * wrong / values.numel():.0f} % of float32 inputs in [0.5, 4), the "
            "result differs from NumPy's in the last bit."
        )
    subnormal = torch.full((64,), 1e-40, dtype=torch.float32)
    if not bool((subnormal * 1.0 != 0).all()):
        found.append(
            "PyTorch flushes subnormal numbers to zero in this process (torch.set_flush_denormal, or a library compiled with -ffast-math)."
        )
    if float(np.float32(1e-40) * np.float32(1.0)) == 0.0:
        found.append("NumPy flushes subnormal numbers to zero in this process: a loaded library was compiled with -ffast-math.")
    if torch.get_float32_matmul_precision() != "highest":
        found.append(
            f"The float32 matmul precision is {torch.get_float32_matmul_precision()!r} (torch.set_float32_matmul_precision): float32 "
            "products may be computed in "
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
