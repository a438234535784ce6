import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ce_rows(x, t, w, acc, C, ignore, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    tgt = tl.load(t + row)
    if tgt != ignore:
        o = tl.arange(0, BLOCK)
        v = tl.load(x + row * C + o, mask=o < C, other=float("-inf"))
        mx = tl.max(v, axis=0)
        lse = tl.log(tl.sum(tl.exp(v - mx), axis=0))
        wt = tl.load(w + tgt)
        tl.atomic_add(acc, wt * (lse - (tl.load(x + row * C + tgt) - mx)))
        tl.atomic_add(acc + 1, wt)


@triton.jit
def ce_final(acc, out):
    tl.store(out, tl.load(acc) / tl.load(acc + 1))


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index
        self.weight = nn.Parameter(0.25 + torch.rand(classes))

    def forward(self, logits, target):
        logits = logits.contiguous()
        target = target.contiguous()
        R, C = logits.shape
        acc = torch.empty(2, device=logits.device, dtype=torch.float32)
        out = torch.empty((), device=logits.device, dtype=logits.dtype)
        ce_rows[(R,)](logits, target, self.weight, acc, C, self.ignore_index, BLOCK=triton.next_power_of_2(C))
        ce_final[(1,)](acc, out)
        return out
