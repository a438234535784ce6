import torch
import torch.nn as nn

BD = 24


class ModelNew(nn.Module):
    """Sum of squares over column blocks, second sweep writes the output; autograd-friendly."""

    def __init__(self, dim, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x, gate):
        D = x.shape[-1]
        xf = x.float()
        ss = None
        for s in range(0, D, BD):
            blk = xf[..., s:s + BD]
            part = (blk * blk).sum(-1, keepdim=True)
            ss = part if ss is None else ss + part
        rstd = torch.rsqrt(ss / D + self.eps)
        cols = []
        for s in range(0, D, BD):
            g = gate[..., s:s + BD].float()
            act = g * torch.sigmoid(g)
            cols.append((xf[..., s:s + BD] * rstd * (self.weight[s:s + BD] * act)).to(x.dtype))
        return torch.cat(cols, -1)
