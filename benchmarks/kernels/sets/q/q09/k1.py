import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Compacts the valid steps and calls the library batch norm on them in double precision, then scatters back."""

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
        rows = x[mask]
        n = rows.shape[0]
        if self.training:
            if n == 0:
                return torch.zeros_like(x) + 0 * (self.weight.sum() + self.bias.sum())
            if n == 1:
                with torch.no_grad():
                    self.running_mean.mul_(1 - self.momentum).add_(rows[0], alpha=self.momentum)
                    self.running_var.mul_(1 - self.momentum)
                y = (rows - rows) * self.weight + self.bias
            else:
                rm, rv = self.running_mean.double(), self.running_var.double()
                y = F.batch_norm(rows.double(), rm, rv, self.weight.double(), self.bias.double(), True,
                                 self.momentum, self.eps).to(x.dtype)
                self.running_mean.copy_(rm)
                self.running_var.copy_(rv)
            self.num_batches_tracked.add_(1)
        else:
            y = F.batch_norm(rows.double(), self.running_mean.double(), self.running_var.double(),
                             self.weight.double(), self.bias.double(), False, 0.0, self.eps).to(x.dtype)
        out = torch.zeros(x.shape, dtype=y.dtype, device=x.device)
        return out.masked_scatter(mask[..., None].expand_as(out), y)
