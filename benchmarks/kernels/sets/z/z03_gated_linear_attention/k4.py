import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    def forward(self, q, k, v, g, h0):
        scale = q.shape[-1] ** -0.5 if self.scale is None else float(self.scale)
        B, T, H, Dk = q.shape
        Dv = v.shape[-1]
        qn = (q.double() * scale).permute(1, 0, 2, 3).reshape(T, B * H, 1, Dk)
        kn = k.permute(1, 0, 2, 3).reshape(T, B * H, Dk, 1)
        vn = v.permute(1, 0, 2, 3).reshape(T, B * H, 1, Dv)
        dn = torch.exp(g.double()).permute(1, 0, 2).reshape(T, B * H, 1, 1)
        s = torch.empty(B * H, Dk, Dv, dtype=torch.float64)
        s.copy_(h0.reshape(B * H, Dk, Dv))
        ys = torch.empty(T, B * H, 1, Dv, dtype=torch.float64)
        for t in range(T):
            s *= dn[t]
            s += kn[t].double() * vn[t].double()
            torch.bmm(qn[t], s, out=ys[t])
        o = ys.reshape(T, B, H, Dv).transpose(0, 1).float().contiguous()
        return o, s.reshape(B, H, Dk, Dv).float()
