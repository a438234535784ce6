import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Graph attention layer (GAT): the messages of the incoming edges of a node are mixed by a softmax over those edges.

    Edges may come in any order and may repeat (each copy counts); a node without incoming edges yields the bias.
    No self loops are added.
    """

    def __init__(self, in_features: int, out_features: int, heads: int, negative_slope: float = 0.2):
        super(Model, self).__init__()
        self.heads = heads
        self.out_features = out_features
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.att_dst = nn.Parameter(torch.randn(heads, out_features) * out_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(heads * out_features))

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x (torch.Tensor): (nodes, in_features) float32.
            edge_index (torch.Tensor): (2, edges) int64, row 0 the source and row 1 the target of each edge.
        Returns:
            torch.Tensor: (nodes, heads * out_features).
        """
        n, H, C = x.shape[0], self.heads, self.out_features
        src, dst = edge_index[0], edge_index[1]
        h = self.lin(x).view(n, H, C)
        a_src = (h * self.att_src).sum(-1)
        a_dst = (h * self.att_dst).sum(-1)
        e = F.leaky_relu(a_src[src] + a_dst[dst], self.negative_slope)
        idx = dst.unsqueeze(-1).expand(-1, H)
        top = torch.full((n, H), float("-inf"), device=x.device, dtype=x.dtype)
        top = top.scatter_reduce(0, idx, e.detach(), reduce="amax")
        p = torch.exp(e - top[dst])
        z = torch.zeros(n, H, device=x.device, dtype=x.dtype).index_add(0, dst, p)
        alpha = p / z[dst]
        out = torch.zeros(n, H, C, device=x.device, dtype=x.dtype).index_add(0, dst, alpha.unsqueeze(-1) * h[src])
        return out.reshape(n, H * C) + self.bias


num_nodes = 60
num_edges = 300
in_features = 24
out_features = 8
heads = 4


def get_inputs():
    # random graph with self loops, in the order of the targets as a CSR export gives it
    loops = torch.arange(num_nodes)
    src = torch.cat([torch.randint(0, num_nodes, (num_edges,)), loops])
    dst = torch.cat([torch.randint(0, num_nodes, (num_edges,)), loops])
    edges = torch.unique(dst * num_nodes + src)  # sorted, each edge once
    return [torch.randn(num_nodes, in_features), torch.stack([edges % num_nodes, edges // num_nodes])]


def get_init_inputs():
    return [in_features, out_features, heads]
