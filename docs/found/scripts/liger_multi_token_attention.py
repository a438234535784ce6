# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Multi-token attention: what is masked counts as -1e9, not as minus infinity."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers import functional

scores = torch.full((1, 1, 2, 2), -2e9, device=DEVICE)
weight = torch.zeros(1, 1, 3, 3, device=DEVICE)
weight[0, 0, 1, 1] = 1.0
share = float(functional.liger_multi_token_attention(scores, weight, padding=1)[0, 0, 0, 0])
print(f"share of the first query's only key, of 1: {share:g}")
raise SystemExit(1 if share < 0.5 else 0)
