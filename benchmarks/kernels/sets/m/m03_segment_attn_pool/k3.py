import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Pads the graphs to a dense batch and uses a masked softmax with a batched product."""

    def __init__(self, dim: int):
        super().__init__()
        self.gate = nn.Linear(dim, 1, bias=False)

    def forward(self, x, ptr):
        count = ptr[1:] - ptr[:-1]
        B, D = count.numel(), x.shape[1]
        if B == 0 or x.shape[0] == 0:
            return x.new_zeros(B, D) + 0.0 * self.gate.weight.sum()
        L = int(count.max())
        slot = torch.arange(L, device=x.device)
        inside = slot[None, :] < count[:, None]
        index = (ptr[:-1, None] + slot[None, :]).clamp(max=x.shape[0] - 1)
        dense = x[index.reshape(-1)].reshape(B, L, D)
        dense = dense.masked_fill(~inside[..., None], 0.0)
        score = torch.matmul(dense, self.gate.weight.t()).squeeze(-1)
        score = score.masked_fill(~inside, float("-inf"))
        empty = (count == 0)[:, None]
        w = torch.softmax(score.masked_fill(empty, 0.0), dim=-1)
        out = torch.bmm(w[:, None, :], dense).squeeze(1)
        return out
