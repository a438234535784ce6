import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """CSR kernel layout: a segment softmax over the contiguous edges of each target."""

    def __init__(self, in_features: int, out_features: int, heads: int, negative_slope: float = 0.2):
        super().__init__()
        self.heads = heads
        self.out_features = out_features
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.att_dst = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(heads * out_features))

    def forward(self, x, edge_index):
        n, H, C = x.shape[0], self.heads, self.out_features
        src, dst = edge_index
        rowptr = F.pad(torch.bincount(dst, minlength=n).cumsum(0), (1, 0))
        h = self.lin(x).view(n, H, C)
        a_src = (h * self.att_src).sum(-1)
        a_dst = (h * self.att_dst).sum(-1)
        rows = []
        bounds = rowptr.tolist()
        for i in range(n):
            s = src[bounds[i]:bounds[i + 1]]
            e = F.leaky_relu(a_src[s] + a_dst[i], self.negative_slope)
            rows.append(torch.einsum("eh,ehc->hc", torch.softmax(e, dim=0), h[s]))
        out = torch.stack(rows) if rows else h
        return out.reshape(n, H * C) + self.bias
