# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Llama 4's rotary embedding: every sequence of a batch is rotated by the first one's positions."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers.llama4_rope import liger_llama4_text_rotary_pos_emb

torch.manual_seed(0)
angles = torch.stack([torch.arange(5.0), torch.arange(5.0) + 3])[..., None] * torch.ones(8)
turns = torch.polar(torch.ones_like(angles), angles).to(DEVICE)
query, key = torch.randn(2, 5, 2, 16, device=DEVICE), torch.randn(2, 5, 2, 16, device=DEVICE)
wanted = torch.view_as_real(torch.view_as_complex(query.reshape(2, 5, 2, 8, 2)) * turns[:, :, None]).flatten(3)
given = query.clone()
turned, _ = liger_llama4_text_rotary_pos_emb(query, key, turns)
errors = (turned - wanted).abs().amax((1, 2, 3)).tolist()
print(f"largest error of the first sequence: {errors[0]:.1e}, of the second: {errors[1]:.1e}")
print(f"queries were written to: {not torch.equal(query, given)}")
raise SystemExit(1 if errors[1] > 1e-3 else 0)
