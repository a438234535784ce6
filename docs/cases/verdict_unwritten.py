import torch
import torch.nn.functional as F


def actual(x):
    """Pads to a multiple of 8 rows; nothing writes the rows that are added."""
    padded = torch.empty(-(-len(x) // 8) * 8, x.shape[1])
    padded[: len(x)] = x
    return padded


def expected(x):
    return F.pad(x, (0, 0, 0, -len(x) % 8))


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(13, 16),)
