import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Attention readout of a batch of graphs: nodes of graph b are rows ptr[b]:ptr[b+1] of x,
    they are scored with a linear gate, the scores are normalised by a softmax inside each
    graph and the rows are averaged with these weights. An empty graph gives zeros.
    """

    def __init__(self, dim: int):
        super().__init__()
        self.gate = nn.Linear(dim, 1, bias=False)

    def forward(self, x: torch.Tensor, ptr: torch.Tensor) -> torch.Tensor:
        """
        x: (N, dim), finite; ptr: (B + 1,) int64, non-decreasing, ptr[0] == 0, ptr[B] == N
        """
        B = ptr.numel() - 1
        seg = torch.repeat_interleave(torch.arange(B, device=x.device), ptr[1:] - ptr[:-1])
        score = self.gate(x).squeeze(-1)
        m = torch.full((B,), float("-inf"), dtype=x.dtype, device=x.device)
        m = m.scatter_reduce(0, seg, score.detach(), reduce="amax", include_self=True)
        e = torch.exp(score - m[seg])
        den = torch.zeros(B, dtype=x.dtype, device=x.device).index_add(0, seg, e)
        w = e / den[seg]
        return torch.zeros(B, x.shape[1], dtype=x.dtype, device=x.device).index_add(0, seg, w[:, None] * x)


num_graphs = 12
dim = 40
sizes = [7, 19, 3, 28, 11, 1, 33, 16, 22, 5, 40, 15]


def get_inputs():
    ptr = torch.zeros(num_graphs + 1, dtype=torch.int64)
    ptr[1:] = torch.cumsum(torch.tensor(sizes), 0)
    return [torch.randn(int(ptr[-1]), dim), ptr]


def get_init_inputs():
    return [dim]
