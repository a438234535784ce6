import torch
import torch.nn as nn


class _GatedNorm(torch.autograd.Function):
    """Saves only the inputs; the backward pass recomputes gate and statistics."""

    @staticmethod
    def _parts(x, z, w, G, eps, nbg):
        s = torch.sigmoid(z)
        gate = z * s
        u = (x if nbg else x * gate).unflatten(-1, (G, -1))
        r = 1 / torch.sqrt(torch.linalg.vecdot(u, u).unsqueeze(-1) / u.shape[-1] + eps)
        return s, gate, u, r

    @staticmethod
    def forward(ctx, x, z, w, G, eps, nbg):
        s, gate, u, r = _GatedNorm._parts(x, z, w, G, eps, nbg)
        ctx.save_for_backward(x, z, w)
        ctx.cfg = G, eps, nbg
        y = (u * r).flatten(-2) * w
        return y * gate if nbg else y

    @staticmethod
    def backward(ctx, dy):
        x, z, w = ctx.saved_tensors
        G, eps, nbg = ctx.cfg
        s, gate, u, r = _GatedNorm._parts(x, z, w, G, eps, nbg)
        dgate = s + gate * (1 - s)
        h = u * r
        dn = dy * gate if nbg else dy
        dw = (dn * h.flatten(-2)).flatten(0, -2).sum(0) if dn.dim() > 1 else dn * h.flatten(-2)
        dh = (dn * w).unflatten(-1, (G, -1))
        # d(u r)/du: r * (I - u u^T r^2 / n)
        du = (r * dh - u * (r ** 3 / u.shape[-1]) * (dh * u).sum(-1, keepdim=True)).flatten(-2)
        if nbg:
            return du, dy * h.flatten(-2) * w * dgate, dw, None, None, None
        return du * gate, du * x * dgate, dw, None, None, None


class ModelNew(nn.Module):
    def __init__(self, dim, n_groups, eps=1e-5, norm_before_gate=False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.n_groups, self.eps, self.norm_before_gate = n_groups, eps, norm_before_gate

    def forward(self, x, z):
        return _GatedNorm.apply(x, z, self.weight, self.n_groups, self.eps, self.norm_before_gate)
