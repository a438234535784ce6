# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Cross entropy and total variation: losses lose a digit for each power of ten of the logits' mean."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers.fused_ce_tvd import LigerFusedCETVDLoss

torch.manual_seed(0)
print("mean of the logits, largest relative error of Liger-Kernel's losses, and of PyTorch's:")
for mean in (0, 100, 1000, 10000):
    logits, target = torch.randn(24, 300, device=DEVICE) + mean, torch.randint(0, 300, (24,), device=DEVICE)
    exact = torch.nn.functional.cross_entropy(logits.double(), target, reduction="none")
    losses = LigerFusedCETVDLoss()(logits, logits, target)[0], torch.nn.functional.cross_entropy(logits, target, reduction="none")
    errors = [float(((loss - exact) / exact).abs().max()) for loss in losses]
    print(f"  {mean:6}  {errors[0]:.1e}  {errors[1]:.1e}")
raise SystemExit(1 if errors[0] > 100 * errors[1] else 0)
