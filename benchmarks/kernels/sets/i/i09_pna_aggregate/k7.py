import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Neighbour table instead of scatter; scalings applied after the matmul."""

    def __init__(self, f_in, f_out, avg_log_deg):
        super().__init__()
        self.delta, self.eps = avg_log_deg, 1e-5
        self.lin = nn.Linear(12 * f_in, f_out)

    def _table(self, edge_index, N):
        """Neighbour table padded to the largest in-degree."""
        src, dst = edge_index[1], edge_index[0]
        deg = torch.bincount(dst, minlength=N)
        order = torch.argsort(dst, stable=True)
        width = max(int(deg.max()), 1)
        slot = torch.arange(dst.numel(), device=dst.device) - (deg.cumsum(0) - deg)[dst[order]]
        table = torch.zeros(N, width, dtype=torch.long, device=dst.device)
        table[dst[order], slot] = src[order]
        live = torch.arange(width, device=dst.device)[None] < deg[:, None]
        return deg, table, live

    @torch.no_grad()
    def forward(self, x, edge_index):
        N, Fx = x.shape
        deg, table, live = self._table(edge_index, N)
        nb = x[table]                                     # (N, max_degree, F)
        d = deg.clamp(min=1).to(x.dtype)[:, None]
        live = live.unsqueeze(-1)
        mean = nb.masked_fill(~live, 0).sum(1) / d
        has = (deg > 0)[:, None]
        mx = nb.masked_fill(~live, float("-inf")).amax(1).masked_fill(~has, 0)
        mn = nb.masked_fill(~live, float("inf")).amin(1).masked_fill(~has, 0)
        dev = (nb - mean[:, None]).masked_fill(~live, 0)
        std = torch.sqrt((dev * dev).sum(1) / d + self.eps)
        agg = torch.cat((mean, mx, mn, std), 1)
        s = torch.log1p(d) / self.delta
        # the three scalings are applied after the matmul, on (N, f_out)
        w0, w1, w2 = self.lin.weight.chunk(3, 1)
        return torch.addcmul(torch.addcmul(F.linear(agg, w0, self.lin.bias), F.linear(agg, w1), s), F.linear(agg, w2), 1 / s)
