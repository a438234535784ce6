import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rows: int, cols: int, lr: float = 1e-3, beta1: float = 0.9, beta2: float = 0.999,
                 eps: float = 1e-6, weight_decay: float = 0.01, max_norm: float = 10.0):
        super().__init__()
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay, self.max_norm = eps, weight_decay, max_norm
        self.register_buffer("exp_avg", torch.zeros(rows, cols))
        self.register_buffer("exp_avg_sq", torch.zeros(rows, cols))
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def forward(self, p, g):
        # two sweeps over blocks of rows: moments + norms, then the update
        BLOCK = 32
        self.step += 1
        t = int(self.step)
        c1 = 1.0 / (1.0 - self.beta1 ** t)
        c2 = 1.0 / (1.0 - self.beta2 ** t)
        u = torch.empty(p.shape, dtype=p.dtype, device=p.device)
        wsq = torch.zeros((), dtype=torch.float64, device=p.device)
        usq = torch.zeros((), dtype=torch.float64, device=p.device)
        for r in range(0, p.shape[0], BLOCK):
            sl = slice(r, r + BLOCK)
            pb, gb = p[sl], g[sl]
            mb, vb = self.exp_avg[sl], self.exp_avg_sq[sl]
            mb.copy_(mb * self.beta1 + gb * (1.0 - self.beta1))
            vb.copy_(vb * self.beta2 + gb.square() * (1.0 - self.beta2))
            ub = mb * c1 / (torch.sqrt(vb * c2) + self.eps) + self.weight_decay * pb
            u[sl] = ub
            wsq += pb.double().square().sum()
            usq += ub.double().square().sum()
        wn = min(wsq.sqrt().item(), self.max_norm) if not torch.isnan(wsq) else float("nan")
        un = usq.sqrt().item()
        trust = wn / un if (wn > 0 and un > 0) else 1.0
        return p - (self.lr * trust) * u
