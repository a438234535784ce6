import torch
import torch.nn as nn

BATCH = 4
STEPS = 24
CHANNELS = 20
MOMENTUM = 0.1
EPS = 1e-5


class Model(nn.Module):
    """Batch norm over the valid steps of padded sequences.

    forward(x, mask):
      x     float32, (B, T, C), any strides, B, T >= 1 arbitrary; valid entries are finite, |x| <= 1e3, with any mean
            (a channel's standard deviation is at least 1e-3 of its mean, unless n = 1);
            entries at masked-out steps may hold anything, NaN and infinities included
      mask  bool, (B, T), True = valid; any pattern (also all False, or a single True)
    Training mode: n valid steps; mean and biased variance per channel over them normalise x, and
      running_mean <- (1 - momentum) running_mean + momentum * mean
      running_var  <- (1 - momentum) running_var + momentum * sum (x - mean)^2 / max(n - 1, 1)
      num_batches_tracked <- num_batches_tracked + 1
    With n = 0 the output is zero and no buffer changes. Eval mode: the running statistics normalise, no buffer changes.
      out = (x - mean) / sqrt(var + eps) * weight + bias at valid steps, 0 at the others.
    Returns out (B, T, C). Differentiable in x, weight, bias (x's gradient is zero at masked-out steps).
    """

    def __init__(self, channels, momentum, eps):
        super().__init__()
        self.momentum = momentum
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long))

    def forward(self, x, mask):
        m = mask[..., None]
        x = torch.where(m, x, torch.zeros_like(x))
        n = int(mask.sum())
        if self.training:
            if n == 0:
                return x * 0 * self.weight
            mean = x.sum((0, 1)) / n
            cent = torch.where(m, x - mean, torch.zeros_like(x))
            ss = cent.square().sum((0, 1))
            var = ss / n
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(ss / max(n - 1, 1), self.momentum)
                self.num_batches_tracked += 1
        else:
            mean, var = self.running_mean, self.running_var
        out = (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
        return torch.where(m, out, torch.zeros_like(out))


def get_inputs():
    lens = torch.randint(STEPS // 2, STEPS + 1, (BATCH,))
    mask = torch.arange(STEPS)[None, :] < lens[:, None]
    return [torch.randn(BATCH, STEPS, CHANNELS), mask]


def get_init_inputs():
    return [CHANNELS, MOMENTUM, EPS]
