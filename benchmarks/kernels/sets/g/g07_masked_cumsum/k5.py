import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def apply_mask(x, k, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n, other=0.0)
    g = tl.load(k + o, mask=o < n, other=0).to(tl.float32)
    tl.store(y + o, v * g, mask=o < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        x = x.contiguous()
        mask = mask.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        apply_mask[(triton.cdiv(n, 1024),)](x, mask, y, n, BLOCK=1024)
        return torch.cumsum(y, dim=1)
