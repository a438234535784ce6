import torch
import torch.nn as nn


class _SSMScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, delta, Bm, Cm, A_log, D, dt_bias):
        z = delta + dt_bias
        dt = torch.clamp(z, min=0) + torch.log1p(torch.exp(-torch.abs(z)))
        A = -torch.exp(A_log)
        nb, nl, nd = u.shape
        hs = u.new_zeros(nb, nl + 1, nd, A.shape[1])
        y = torch.empty(u.shape, dtype=u.dtype)
        for t in range(nl):
            hs[:, t + 1] = torch.exp(dt[:, t, :, None] * A) * hs[:, t] \
                + (dt[:, t] * u[:, t])[:, :, None] * Bm[:, t, None, :]
            y[:, t] = (hs[:, t + 1] * Cm[:, t, None, :]).sum(-1) + D * u[:, t]
        ctx.save_for_backward(u, Bm, Cm, A, D, z, dt, hs)
        return y

    @staticmethod
    def backward(ctx, gy):
        u, Bm, Cm, A, D, z, dt, hs = ctx.saved_tensors
        gu = gy * D
        gdt = torch.zeros_like(dt)
        gB, gC, gA = torch.zeros_like(Bm), torch.zeros_like(Cm), torch.zeros_like(A)
        gh = torch.zeros_like(hs[:, 0])
        for t in range(u.shape[1] - 1, -1, -1):
            gh = gh + gy[:, t, :, None] * Cm[:, t, None, :]
            gC[:, t] = (gy[:, t, :, None] * hs[:, t + 1]).sum(1)
            dec = torch.exp(dt[:, t, :, None] * A)
            gdec = gh * hs[:, t] * dec
            gB[:, t] = (gh * (dt[:, t] * u[:, t])[:, :, None]).sum(1)
            ghb = (gh * Bm[:, t, None, :]).sum(-1)
            gdt[:, t] = (gdec * A).sum(-1) + ghb * u[:, t]
            gu[:, t] += ghb * dt[:, t]
            gA += (gdec * dt[:, t, :, None]).sum(0)
            gh = gh * dec
        gz = gdt * torch.sigmoid(z)
        return gu, gz, gB, gC, gA * A, (gy * u).sum((0, 1)), gz.sum((0, 1))


class ModelNew(nn.Module):
    def __init__(self, d_inner, d_state):
        super().__init__()
        a = torch.arange(1, d_state + 1, dtype=torch.float32).repeat(d_inner, 1)
        self.A_log = nn.Parameter(torch.log(a))
        self.D = nn.Parameter(torch.ones(d_inner))
        self.dt_bias = nn.Parameter(torch.zeros(d_inner))

    def forward(self, u, delta, Bm, Cm):
        return _SSMScan.apply(u, delta, Bm, Cm, self.A_log, self.D, self.dt_bias)
