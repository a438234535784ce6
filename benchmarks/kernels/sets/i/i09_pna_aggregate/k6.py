import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Scatter sums of x and x^2 in one go."""

    def __init__(self, f_in, f_out, avg_log_deg):
        super().__init__()
        self.delta, self.eps = avg_log_deg, 1e-5
        self.lin = nn.Linear(12 * f_in, f_out)

    @torch.no_grad()
    def forward(self, x, edge_index):
        src, dst = edge_index.unbind(0)
        N, Fx = x.shape
        msg = x.index_select(0, src)
        deg = torch.bincount(dst, minlength=N)
        d = deg.clamp(min=1).to(x.dtype).view(-1, 1)
        sums = x.new_zeros(N, 2 * Fx).index_add_(0, dst, torch.cat((msg, msg * msg), 1)) / d
        mean, sq = sums.split(Fx, 1)
        std = ((sq - mean * mean).relu() + self.eps).sqrt()
        at = dst.view(-1, 1).expand(-1, Fx)
        mx = x.new_zeros(N, Fx).scatter_reduce_(0, at, msg, "amax", include_self=False)
        mn = x.new_zeros(N, Fx).scatter_reduce_(0, at, msg, "amin", include_self=False)
        agg = torch.cat((mean, mx, mn, std), 1)
        s = (d + 1).log() / self.delta
        return self.lin(torch.cat((agg, agg * s, agg / s), 1))
