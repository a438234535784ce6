import torch
import torch.nn as nn

ROWS = 64


class _GatedRMS(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gate, w, eps, buf):
        D = x.shape[-1]
        xf = x.reshape(-1, D).float()
        gf = gate.reshape(-1, D).float()
        rstd = 1.0 / torch.sqrt((xf * xf).sum(1, keepdim=True) / D + eps)
        sg = torch.sigmoid(gf)
        ctx.save_for_backward(x, gate, w, rstd)
        y = (xf * rstd) * w * (gf * sg)
        return y.to(x.dtype).view(x.shape)

    @staticmethod
    def backward(ctx, g):
        x, gate, w, rstd = ctx.saved_tensors
        D = x.shape[-1]
        xf = x.reshape(-1, D).float()
        gf = gate.reshape(-1, D).float()
        go = g.reshape(-1, D).float()
        dx = torch.empty_like(xf)
        dg = torch.empty_like(xf)
        dw = torch.zeros(D)
        for s in range(0, xf.shape[0], ROWS):
            sl = slice(s, min(s + ROWS, xf.shape[0]))
            sg = torch.sigmoid(gf[sl])
            act = gf[sl] * sg
            xh = xf[sl] * rstd[sl]
            dact = go[sl] * xh * w
            dg[sl] = dact * (sg + act * (1 - sg))
            t = go[sl] * act
            dw = (t * xh).sum(0)
            t = t * w
            dx[sl] = rstd[sl] * (t - xh * (t * xh).mean(1, keepdim=True))
        return dx.view_as(x).to(x.dtype), dg.view_as(gate).to(gate.dtype), dw, None, None


class ModelNew(nn.Module):
    """Fused gated RMSNorm; backward recomputes tile by tile."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, gate):
        return _GatedRMS.apply(x, gate, self.weight, self.eps, None)
