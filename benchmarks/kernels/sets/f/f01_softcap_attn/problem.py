import torch
import torch.nn as nn


class Model(nn.Module):
    """Multi-head self-attention with softcapped logits and key padding.

    ``lengths[b]`` (1 <= lengths[b] <= T) is the number of valid keys in sequence b.
    """

    def __init__(self, dim, n_heads, softcap):
        super().__init__()
        self.n_heads = n_heads
        self.softcap = softcap
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, lengths):
        B, T, D = x.shape
        H = self.n_heads
        q, k, v = self.qkv(x).view(B, T, 3, H, D // H).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) * (D // H) ** -0.5
        s = self.softcap * torch.tanh(s / self.softcap)
        keep = torch.arange(T, device=x.device)[None, :] < lengths[:, None]
        s = s.masked_fill(~keep[:, None, None, :], float("-inf"))
        p = torch.softmax(s, dim=-1)
        y = (p @ v).transpose(1, 2).reshape(B, T, D)
        return self.out(y)


BATCH = 2
SEQ = 48
DIM = 32
HEADS = 4
SOFTCAP = 20.0


def get_inputs():
    return [torch.randn(BATCH, SEQ, DIM), torch.full((BATCH,), SEQ, dtype=torch.int64)]


def get_init_inputs():
    return [DIM, HEADS, SOFTCAP]
