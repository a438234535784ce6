import torch
import torch.nn as nn


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        v = x.movedim(dim, 0)
        out = torch.empty_like(v)
        m = v[0].double()
        s = torch.ones_like(m)
        out[0] = v[0]
        for t in range(1, v.shape[0]):
            xt = v[t].double()
            mn = torch.maximum(m, xt)
            s = s * torch.exp(m - mn) + torch.exp(xt - mn)
            m = mn
            out[t] = (m + torch.log(s)).to(x.dtype)
        out = out.movedim(0, dim).contiguous()
        ctx.save_for_backward(x, out)
        ctx.dim = dim
        return out

    @staticmethod
    def backward(ctx, go):
        x, out = ctx.saved_tensors
        w = go * torch.exp(-out)
        rc = torch.flip(torch.cumsum(torch.flip(w, (ctx.dim,)), ctx.dim), (ctx.dim,))
        return torch.exp(x) * rc, None


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return _Scan.apply(x, self.dim)
