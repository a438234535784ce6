# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Cross entropy: where no gradient is recorded, logits of ignored targets become zero in the caller's tensor."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers import functional

torch.manual_seed(0)
logits, target = torch.randn(4, 6, device=DEVICE), torch.tensor([1, -100, 2, 3], device=DEVICE)
given = logits.clone()
functional.liger_cross_entropy(logits, target)
changed = [row for row in range(4) if not torch.equal(logits[row], given[row])]
print(f"rows of logits that changed: {changed}, now all zero: {not logits[1].any()}")
raise SystemExit(1 if changed else 0)
