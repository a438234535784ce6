import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Softmax over segments (as in graph attention): row e of `values` belongs to segment index[e].
    Returns the weights and the log-sum-exp of every segment. A segment without rows, or with
    nothing but -inf, has log-sum-exp -inf; weights of the latter are 0.
    """

    def __init__(self, num_segments: int):
        super(Model, self).__init__()
        self.num_segments = num_segments

    def forward(self, values: torch.Tensor, index: torch.Tensor):
        E, H = values.shape
        idx = index.unsqueeze(1).expand(E, H)
        top = values.new_full((self.num_segments, H), float("-inf"))
        top = top.scatter_reduce(0, idx, values.detach(), reduce="amax", include_self=True)
        top = torch.where(top == float("-inf"), torch.zeros_like(top), top)
        e = torch.exp(values - top.gather(0, idx))
        total = values.new_zeros(self.num_segments, H).scatter_add(0, idx, e)
        per_row = total.gather(0, idx)
        weights = e / per_row.masked_fill(per_row == 0, 1.0)
        lse = torch.log(total) + top
        return weights, lse


num_rows = 4096
num_heads = 8
num_segments = 64


def get_inputs():
    values = torch.randn(num_rows, num_heads) * 2
    index = torch.sort(torch.randint(0, num_segments, (num_rows,)))[0]
    return [values, index]


def get_init_inputs():
    return [num_segments]
