import torch
import torch.nn.functional as F


def actual(x, W, B):
    """conv_transpose1d with stride 1 as conv1d with flipped, transposed weights and full padding."""
    return F.conv1d(x, W.flip(2).transpose(0, 1), B, padding=W.shape[2] - 1)


def expected(x, W, B):
    return F.conv_transpose1d(x, W, B)


def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in ((2, 64, 256), (64, 32, 5), (32,)))
