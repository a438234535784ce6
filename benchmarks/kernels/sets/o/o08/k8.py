import torch
import torch.nn as nn
import torch.nn.functional as F


class _Aggregate(torch.autograd.Function):
    """Edge softmax and aggregation, one head at a time, with the backward pass by formula (no per-edge graph is kept)."""

    @staticmethod
    def forward(ctx, h, att_src, att_dst, src, dst, slope):
        n = h.shape[0]
        H, C = att_src.shape
        out = torch.zeros_like(h)
        alphas = torch.empty(src.numel(), H, device=h.device, dtype=h.dtype)
        signs = torch.empty(src.numel(), H, device=h.device, dtype=torch.bool)
        for k in range(H):
            hk = h[:, k * C:(k + 1) * C]
            e = (hk @ att_src[k])[src] + (hk @ att_dst[k])[dst]
            signs[:, k] = e > 0
            e = torch.where(e > 0, e, slope * e)
            top = torch.full((n,), float("-inf"), device=h.device, dtype=h.dtype).scatter_reduce_(0, dst, e, "amax")
            p = torch.exp(e - top[dst])
            z = torch.zeros(n, device=h.device, dtype=h.dtype).index_add_(0, dst, p)
            alphas[:, k] = p / z[dst]
            out[:, k * C:(k + 1) * C].index_add_(0, dst, alphas[:, k:k + 1] * hk[src])
        ctx.save_for_backward(h, att_src, att_dst, src, dst, alphas, signs)
        ctx.slope = slope
        return out

    @staticmethod
    def backward(ctx, g):
        h, att_src, att_dst, src, dst, alphas, signs = ctx.saved_tensors
        n = h.shape[0]
        H, C = att_src.shape
        gh = torch.zeros_like(h)
        gs, gd = torch.zeros_like(att_src), torch.zeros_like(att_dst)
        for k in range(H):
            cols = slice(k * C, (k + 1) * C)
            hk, gk, a = h[:, cols], g[:, cols], alphas[:, k]
            ge = gk[dst]
            galpha = (ge * hk[src]).sum(1)
            mean = torch.zeros(n, device=h.device, dtype=h.dtype).index_add_(0, dst, a * galpha)
            gscore = a * (galpha - mean[dst])
            gscore = torch.where(signs[:, k], gscore, ctx.slope * gscore)
            to_src = torch.zeros(n, device=h.device, dtype=h.dtype).index_add_(0, src, gscore)
            to_dst = torch.zeros(n, device=h.device, dtype=h.dtype).index_add_(0, dst, gscore)
            ghk = torch.zeros(n, C, device=h.device, dtype=h.dtype).index_add_(0, src, a.unsqueeze(1) * ge)
            gh[:, cols] = ghk + torch.outer(to_src, att_src[k]) + torch.outer(to_dst, att_dst[k])
            gs[k] = to_src @ hk
            gd[k] = to_dst @ hk
        return gh, gs, gd, None, None, None


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, heads: int, negative_slope: float = 0.2):
        super().__init__()
        self.heads = heads
        self.out_features = out_features
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.att_dst = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(heads * out_features))

    def forward(self, x, edge_index):
        n = x.shape[0]
        h = self.lin(x)
        out = _Aggregate.apply(h, self.att_src, self.att_dst, edge_index[0], edge_index[1], self.negative_slope)
        return out + self.bias
