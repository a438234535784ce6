# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""The last layer: where its input needs no gradient, its weight and bias get none."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers import functional

torch.manual_seed(0)
x, target = torch.randn(4, 6, device=DEVICE), torch.tensor([1, 0, 2, 3], device=DEVICE)
weight, bias = (torch.randn(shape, device=DEVICE).requires_grad_() for shape in ((5, 6), (5,)))
missing = False
for frozen in (False, True):
    for reduction in ("mean", "none"):
        loss = functional.liger_fused_linear_cross_entropy(x.clone().requires_grad_(not frozen), weight, target, bias, reduction=reduction)
        found = torch.autograd.grad(loss.sum(), (weight, bias), allow_unused=True)
        exact = torch.autograd.grad(
            torch.nn.functional.cross_entropy(x @ weight.T + bias, target, reduction=reduction).sum(), (weight, bias)
        )
        missing |= None in found
        errors = ["none" if one is None else f"{float((one - other).abs().max()):.1e}" for one, other in zip(found, exact)]
        print(
            f"input {'frozen' if frozen else 'trained'}, reduction {reduction}: largest errors of the gradients of weight and bias: {', '.join(errors)}"
        )
raise SystemExit(1 if missing else 0)
