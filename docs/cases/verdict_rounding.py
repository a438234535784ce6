import torch
import torch.nn.functional as F


def actual(q, k, v):
    """Attention, written out."""
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    return weights @ v / weights.sum(-1, keepdim=True)


def expected(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def inputs(seed):
    torch.manual_seed(seed)
    return tuple(torch.randn(2, 4, 64, 32) for _ in range(3))
