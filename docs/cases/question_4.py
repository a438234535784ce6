import numpy as np
import torch
import torch.nn.functional as F


def actual(images, kernels, bias):
    """The loop of the post: the same additions in the same order, for all pixels at once."""
    weights = kernels.numpy()
    count, _, rows, columns = images.shape
    channels_out, channels_in, height, width = weights.shape
    padded = np.pad(images.numpy(), ((0, 0), (0, 0), (2, 2), (2, 2)))
    result = np.zeros((count, channels_out, rows, columns), dtype=np.float32)
    for channel in range(channels_in):
        for y in range(height):
            for x in range(width):
                window = padded[:, channel, None, y : y + rows, x : x + columns]
                result += weights[None, :, channel, y, x, None, None] * window
    return torch.from_numpy(result + bias.numpy()[None, :, None, None])


def expected(images, kernels, bias):
    return F.conv2d(images, kernels, bias, padding=2)


def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in ((1, 16, 28, 28), (8, 16, 5, 5), (8,)))
