import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Sorts the (token, slot) pairs by expert and runs one GEMM per contiguous run."""

    def __init__(self, dim, hidden, num_experts, top_k):
        super().__init__()
        self.num_experts = num_experts
        self.top_k = top_k
        self.gate = nn.Parameter(torch.randn(num_experts, dim) / dim**0.5)
        self.w1 = nn.Parameter(torch.randn(num_experts, dim, hidden) / dim**0.5)
        self.b1 = nn.Parameter(torch.zeros(num_experts, hidden))
        self.w2 = nn.Parameter(torch.randn(num_experts, hidden, dim) / hidden**0.5)

    def forward(self, x, valid):
        E, k = self.num_experts, self.top_k
        N, D = x.shape
        p = torch.softmax(F.linear(x, self.gate), dim=-1)
        top, idx = torch.topk(p, k, dim=-1)
        w = (top / top.sum(-1, keepdim=True)).flatten()
        key = torch.where(valid.repeat_interleave(k), idx.flatten(), E)
        order = torch.argsort(key, stable=True)
        sizes = torch.bincount(key, minlength=E + 1)[:E].tolist()
        order = order[: sum(sizes)]
        tok = torch.div(order, k, rounding_mode="floor")
        xs = x[tok]
        outs, s = [xs[:0]], 0
        for e, n in enumerate(sizes):
            if n:
                outs.append(F.gelu(xs[s:s + n] @ self.w1[e] + self.b1[e]) @ self.w2[e])
            s += n
        o = torch.cat(outs) * w[order].unsqueeze(1)
        y = torch.zeros_like(x).index_add_(0, tok, o)
        cnt = valid.sum()
        if cnt == 0:
            return y, (p * 0).sum()
        f = torch.bincount(idx[valid].flatten(), minlength=E).to(x.dtype) / (cnt * k)
        return y, E * torch.dot(f, p[valid].mean(0))
