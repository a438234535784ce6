# /// script
# dependencies = ["fla-core==0.6.0", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""The logarithm of a sigmoid: log(1 + exp(-x)) has no digits left where it is small."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

import triton
from fla.modules.activations import logsigmoid

if DEVICE == "cpu":  # nothing is timed there; all configurations compute the same
    triton.runtime.autotuner.Autotuner._bench = lambda *_, **__: 1.0

print("x, log(sigmoid(x)) by flash-linear-attention, and by PyTorch:")
for number in (1.0, 5.0, 10.0, 15.0, 17.0):
    x = torch.tensor([[number]], device=DEVICE)
    found, exact = float(logsigmoid(x)), float(torch.nn.functional.logsigmoid(x))
    print(f"  {number:2g}  {found:.4e}  {exact:.4e}")
raise SystemExit(1 if abs(found - exact) > 0.1 * abs(exact) else 0)
