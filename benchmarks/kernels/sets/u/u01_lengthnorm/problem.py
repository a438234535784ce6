import torch
import torch.nn as nn

batch_size = 6
frames = 96
channels = 64
eps = 1e-5


class Model(nn.Module):
    """
    Per-channel normalisation over time for padded batches of sensor recordings.

    Each channel of each recording is normalised with the mean and the (biased) variance of
    its own valid frames, then scaled and shifted by learned per-channel weight and bias.

    Inputs:
        x: (batch, frames, channels), float32. Raw readings: a channel may sit on a constant
           offset of up to about a thousand times its spread. Frames at or past the recording's
           length are padding and may hold any finite left-over value; they must have no influence.
        lengths: (batch,), int64, each from 1 to frames.
    Returns:
        (batch, frames, channels), float32; exactly zero in the padding.
    Used for inference only.
    """

    def __init__(self, channels, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x, lengths):
        t = torch.arange(x.shape[1], device=x.device)
        mask = (t[None, :] < lengths[:, None])[..., None]
        n = lengths.to(x.dtype)[:, None, None]
        mean = torch.where(mask, x, 0.0).sum(1, keepdim=True) / n
        d = torch.where(mask, x - mean, 0.0)
        var = (d * d).sum(1, keepdim=True) / n
        y = d * torch.rsqrt(var + self.eps) * self.weight + self.bias
        return torch.where(mask, y, 0.0)


def get_inputs():
    x = torch.randn(batch_size, frames, channels) * 1.5 + 0.5
    lengths = torch.randint(1, frames + 1, (batch_size,))
    return [x, lengths]


def get_init_inputs():
    return [channels, eps]
