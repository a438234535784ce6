# /// script
# dependencies = ["conch-triton-kernels==1.3", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Quantization to 8 bits: numbers are cut off, not rounded."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from conch.ops.quantization.int8 import scaled_int8_quant

torch.manual_seed(0)
x = torch.tensor([[1.9, -1.9, 0.99, -0.6]], device=DEVICE)
found = scaled_int8_quant(x, torch.tensor([1.0], device=DEVICE))[0]
print(f"1.9, -1.9, 0.99, -0.6 become {found[0].tolist()}; the nearest are {torch.round(x[0]).int().tolist()}")
x = torch.randn(64, 256, device=DEVICE)
scale = x.abs().max() / 127
found, nearest = scaled_int8_quant(x, scale[None])[0], torch.clamp(torch.round(x / scale), -128, 127)
errors = [float((quantized.float() * scale - x).square().mean().sqrt() / scale) for quantized in (found, nearest)]
print(f"rms error in steps of the quantization: {errors[0]:.3f}; of the nearest: {errors[1]:.3f}")
raise SystemExit(1 if errors[0] > 1.5 * errors[1] else 0)
