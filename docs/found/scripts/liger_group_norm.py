# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Group normalization: the variance is the mean of squares less the square of the mean, and cancels."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

import liger_kernel.ops.group_norm as kernels
import triton.language as tl
from liger_kernel.transformers.group_norm import LigerGroupNorm

EPS = 1e-6
if DEVICE == "cpu":  # the interpreter lacks CUDA's functions, and methods of plain numbers: eps.to(tl.float32)
    kernels.rsqrt = lambda x: tl.rsqrt(x)
    EPS = type("Number", (float,), {"to": lambda self, _: self})(EPS)

torch.manual_seed(0)
norm = LigerGroupNorm(12, 3, eps=EPS).to(DEVICE)
print("mean of the inputs, largest error of Liger-Kernel, and of PyTorch:")
for mean in (0, 10, 100, 1000):
    x = torch.randn(4, 12, 50, device=DEVICE) + mean
    exact = torch.nn.functional.group_norm(x.double(), 3, eps=1e-6)
    errors = [float((y - exact).abs().max()) for y in (norm(x).detach(), torch.nn.functional.group_norm(x, 3, eps=1e-6))]
    print(f"  {mean:5}  {errors[0]:.1e}  {errors[1]:.1e}")
raise SystemExit(1 if errors[0] > 100 * errors[1] else 0)
