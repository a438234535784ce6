import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bag_mean_fwd(w_ptr, idx_ptr, off_ptr, out_ptr, cnt_ptr, n, bags, D, pad, BD: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    dm = d < D
    lo = tl.load(off_ptr + b)
    hi = tl.load(off_ptr + b + 1, mask=b + 1 < bags, other=n)
    acc = tl.zeros((BD,), dtype=tl.float32)
    cnt = 0
    for t in range(lo, hi):
        i = tl.load(idx_ptr + t)
        if i != pad:
            acc += tl.load(w_ptr + i * D + d, mask=dm, other=0.0)
            cnt += 1
    acc = acc / tl.maximum(cnt, 1)
    tl.store(out_ptr + b * D + d, acc, mask=dm)
    tl.store(cnt_ptr + b, cnt)


class BagMean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight, indices, offsets, pad):
        V, D = weight.shape
        n, bags = indices.numel(), offsets.numel()
        indices, offsets = indices.contiguous(), offsets.contiguous()
        out = torch.zeros(bags, D, device=weight.device)
        cnt = torch.zeros(bags, dtype=torch.int64, device=weight.device)
        if bags > 0:
            bag_mean_fwd[(bags, triton.cdiv(D, 32))](weight, indices, offsets, out, cnt, n, bags, D, pad, BD=32)
        ctx.save_for_backward(indices, offsets, cnt)
        ctx.shape, ctx.pad = (V, D), pad
        return out

    @staticmethod
    def backward(ctx, g):
        indices, offsets, cnt = ctx.saved_tensors
        gw = torch.zeros(ctx.shape, device=g.device)
        ends = torch.cat([offsets[1:], offsets.new_tensor([indices.numel()])])
        bag = torch.repeat_interleave(torch.arange(offsets.numel(), device=g.device), ends - offsets)
        keep = indices != ctx.pad
        rows = (g / cnt.clamp(min=1).unsqueeze(1))[bag[keep]]
        gw.index_add_(0, indices[keep], rows)
        return gw, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int):
        super().__init__()
        self.emb = nn.EmbeddingBag(num_embeddings, embedding_dim, mode="mean", padding_idx=padding_idx)

    def forward(self, indices, offsets):
        return BagMean.apply(self.emb.weight, indices, offsets, self.emb.padding_idx)
