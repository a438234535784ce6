# /// script
# dependencies = ["liger-kernel==0.8.5", "numpy", "packaging", "torch==2.13.0", "triton==3.9.0"]
# ///
"""Rotary embedding: with one head, one token, or transposed views, what is given is written to."""

import os

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, Triton's interpreter runs the kernel

from liger_kernel.transformers import functional

torch.manual_seed(0)
written = []
for heads, length, is_view in ((2, 5, False), (1, 5, False), (2, 1, False), (2, 5, True)):
    query, turn = torch.randn(1, 2, length, 16, device=DEVICE), torch.randn(1, length, 16, device=DEVICE)
    key = torch.randn(1, length, heads, 16, device=DEVICE).transpose(1, 2)
    if not is_view:
        key = key.contiguous()
    given = key.clone()
    functional.liger_rope(query, key, turn, turn)
    written.append(not torch.equal(key, given))
    print(f"{heads} key heads, {length} tokens{', a transposed view' if is_view else ''}: keys were written to: {written[-1]}")
raise SystemExit(1 if any(written) else 0)
