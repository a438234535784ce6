import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Batch normalisation over ragged sequences.

    forward(x, lengths):
      x        float32 [B, C, T]
      lengths  int64 [B], 0 <= lengths[b] <= T; positions t >= lengths[b] are padding
    Training mode: mean and (biased) variance per channel over all valid positions of the batch; the running statistics
    are updated with  running = (1 - m) * running + m * batch  where m = momentum, or, with momentum=None,
    1 / (number of batches seen, this one included).  The batch variance that enters running_var is the unbiased one (divided by n - 1; by 1
    when n = 1).  A batch without any valid position leaves every buffer unchanged.  Eval mode: the running statistics are used,
    nothing is updated.  Output: (x - mean) / sqrt(var + eps) * weight + bias at valid positions, 0 at padding.

    Parameters weight, bias [C]; buffers running_mean, running_var [C], num_batches_tracked (int64 scalar).  Both the output and the buffers
    after a call are results, over any sequence of calls with changing shapes, lengths and modes.  Gradients with respect to x, weight and bias
    are needed (in training mode through the batch statistics too; padding gets gradient 0).

    What the inputs may be: any B, C, T >= 1; momentum is None or a number in [0, 1], both ends included; eps > 0.  Padding is uninitialised memory: it may hold
    anything, NaN and inf included.  Valid values are finite; a channel may have a mean up to 1000 times its
    standard deviation, and its standard deviation may be anything between 1e-2 and 1e2.  x must not be modified.
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x, lengths):
        T = x.shape[2]
        valid = (torch.arange(T) < lengths[:, None])[:, None, :]
        x = torch.where(valid, x, torch.zeros((), dtype=x.dtype))
        n = int(lengths.sum())
        if n == 0:
            return x * 0.0
        if self.training:
            mean = x.sum(dim=(0, 2)) / n
            dev = torch.where(valid, x - mean[:, None], torch.zeros((), dtype=x.dtype))
            ssq = (dev * dev).sum(dim=(0, 2))
            var = ssq / n
            with torch.no_grad():
                self.num_batches_tracked += 1
                m = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
                self.running_mean.mul_(1 - m).add_(m * mean)
                self.running_var.mul_(1 - m).add_(m * ssq / max(n - 1, 1))
        else:
            mean, var = self.running_mean, self.running_var
        y = (x - mean[:, None]) / torch.sqrt(var[:, None] + self.eps)
        y = y * self.weight[:, None] + self.bias[:, None]
        return torch.where(valid, y, torch.zeros((), dtype=x.dtype))


B, C, T = 6, 20, 50


def get_inputs():
    return [torch.randn(B, C, T) * 2 + 0.5, torch.tensor([50, 31, 7, 44, 1, 23])]


def get_init_inputs():
    return [C]
