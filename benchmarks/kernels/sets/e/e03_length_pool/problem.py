import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean and max pooling over the first lengths[b] steps of each sequence, then a linear layer.

    An empty sequence (length 0) pools to zeros. Steps past the length never matter,
    whatever they hold.
    """

    def __init__(self, dim, out_dim):
        super().__init__()
        self.proj = nn.Linear(2 * dim, out_dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        valid = (torch.arange(T)[None, :] < lengths[:, None])[:, :, None]
        mean = x.masked_fill(~valid, 0.0).sum(1) / lengths.clamp(min=1)[:, None].to(x.dtype)
        peak = x.masked_fill(~valid, float('-inf')).amax(1)
        peak = peak.masked_fill((lengths == 0)[:, None], 0.0)
        return self.proj(torch.cat([mean, peak], 1))


B = 6
T = 32
D = 8
O = 5


def get_inputs():
    return [torch.randn(B, T, D), torch.randint(T // 2, T + 1, (B,))]


def get_init_inputs():
    return [D, O]
