# /// script
# dependencies = ["conch-triton-kernels==1.3", "torch==2.13.0", "triton==3.9.0"]
# ///
"""GEGLU: of a tensor whose rows are not contiguous, other elements are read."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

import conch.kernels.activation.gelu_tanh_and_mul as kernels
import triton.language as tl
from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul

if DEVICE == "cpu":  # the interpreter lacks CUDA's functions
    kernels.libdevice = type("Functions", (), {"tanh": staticmethod(lambda x: 2 * tl.sigmoid(2 * x) - 1)})

torch.manual_seed(0)
x = torch.randn(6, 8, device=DEVICE).t()
wanted = torch.nn.functional.gelu(x[:, :3], approximate="tanh") * x[:, 3:]
errors = [float((gelu_tanh_and_mul(given) - wanted).abs().max()) for given in (x, x.contiguous())]
print(f"largest error on a transposed tensor: {errors[0]:.1e}; on its copy: {errors[1]:.1e}")
raise SystemExit(1 if errors[0] > 1e-3 else 0)
