import torch
import torch.nn.functional as F


def actual(x):
    """Pixel shuffle by hand, then half of it."""
    batch, channels, height, width = x.shape
    blocks = x.reshape(batch, channels // 4, 2, 2, height, width)
    return blocks.permute(0, 1, 4, 2, 5, 3).reshape(batch, channels // 4, 2 * height, 2 * width) * 0.5


def expected(x):
    return F.pixel_shuffle(x, 2) / 2


def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(2, 16, 8, 8),)
