import math
import torch
import torch.nn as nn


class _SinkAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, sinks, window):
        B, H, S, D = q.shape
        G = k.shape[1]
        R = H // G
        scale = D**-0.5
        qg = q.reshape(B, G, R * S, D)
        s = torch.bmm(qg.reshape(B * G, R * S, D), k.reshape(B * G, S, D).transpose(1, 2))
        s = s.view(B, G, R, S, S).mul_(scale)
        pos = torch.arange(S, device=q.device)
        dist = pos[:, None] - pos[None, :]
        s.masked_fill_((dist < 0) | (dist >= window), float("-inf"))
        sk = sinks.view(1, G, R, 1, 1)
        m = torch.maximum(s.amax(-1, keepdim=True), sk)
        p = s.sub_(m).exp_()
        psink = torch.exp(sk - m)
        inv = 1.0 / (p.sum(-1, keepdim=True) + psink)
        p.mul_(inv)
        psink = psink * inv
        o = torch.matmul(p.view(B, G, R * S, S), v).view(B, G, R, S, D)
        ctx.save_for_backward(q, k, v, p, psink, o)
        ctx.scale = scale
        return o.reshape(B, H, S, D).clone()

    @staticmethod
    def backward(ctx, grad):
        q, k, v, p, psink, o = ctx.saved_tensors
        B, G, R, S, D = o.shape
        do = grad.reshape(B, G, R, S, D)
        delta = (do * o).sum(-1, keepdim=True)
        dp = torch.matmul(do, v.unsqueeze(2).transpose(-1, -2))
        ds = p * (dp - delta) * ctx.scale
        dq = torch.matmul(ds, k.unsqueeze(2)).reshape(B, G * R, S, D)
        qg = q.reshape(B, G, R, S, D)
        dk = torch.matmul(ds.transpose(-1, -2), qg).sum(2)
        dv = torch.matmul(p.transpose(-1, -2), do).sum(2)
        dsinks = -(psink * delta).sum(dim=(0, 3, 4)).reshape(-1)
        return dq, dk, dv, dsinks, None


class ModelNew(nn.Module):
    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, window: int):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(n_heads))

    def forward(self, q, k, v):
        return _SinkAttention.apply(q, k, v, self.sinks, self.window)
