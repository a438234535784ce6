import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Dense adjacency with edge multiplicities: small graphs, plain matmuls."""

    def __init__(self, f_in, f_out, avg_log_deg):
        super().__init__()
        self.delta, self.eps = avg_log_deg, 1e-5
        self.lin = nn.Linear(12 * f_in, f_out)

    @torch.no_grad()
    def forward(self, x, edge_index):
        N, Fx = x.shape
        src, dst = edge_index
        A = torch.zeros(N, N, dtype=x.dtype, device=x.device)
        A.index_put_((dst, src), torch.ones_like(dst, dtype=x.dtype), accumulate=True)
        deg = A.sum(1)
        d = deg.clamp(min=1)[:, None]
        mean = A @ x / d
        no = (A == 0).unsqueeze(-1)
        cand = x.unsqueeze(0)
        empty = (deg == 0)[:, None]
        mx = cand.masked_fill(no, float("-inf")).amax(1).masked_fill(empty, 0.0)
        mn = cand.masked_fill(no, float("inf")).amin(1).masked_fill(empty, 0.0)
        var = torch.einsum("ij,ijf->if", A, (cand - mean.unsqueeze(1)).square()) / d
        agg = torch.cat((mean, mx, mn, (var + self.eps).sqrt()), 1)
        s = (d + 1).log() / self.delta
        return self.lin(torch.cat((agg, agg * s, agg / s), 1))
