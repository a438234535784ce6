import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Dense attention over the adjacency mask, all heads as one batched matmul."""

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
        h = self.lin(x).view(n, H, C)
        adj = torch.zeros(n, n, dtype=torch.bool, device=x.device)
        adj[edge_index[1], edge_index[0]] = True
        a_src = (h * self.att_src).sum(-1).t()
        a_dst = (h * self.att_dst).sum(-1).t()
        e = F.leaky_relu(a_dst.unsqueeze(2) + a_src.unsqueeze(1), self.negative_slope)
        e = e.masked_fill(~adj, float("-inf"))
        alpha = torch.softmax(e, dim=-1)
        alpha = torch.where(adj.any(-1)[None, :, None], alpha, torch.zeros_like(alpha))
        out = torch.bmm(alpha, h.transpose(0, 1)).transpose(0, 1)
        return out.reshape(n, H * C) + self.bias
