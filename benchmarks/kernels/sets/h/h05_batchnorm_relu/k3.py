import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(1.0 + 0.2 * torch.randn(channels))
        self.bias = nn.Parameter(0.3 * torch.randn(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        rows = x.transpose(0, 1).reshape(x.shape[1], -1).double()
        n = rows.shape[1]
        if self.training:
            mean = rows.sum(dim=1) / n
            sq = torch.einsum("cn,cn->c", rows, rows) / n
            var = torch.relu(sq - mean * mean)
            with torch.no_grad():
                m = self.momentum
                self.running_mean.copy_((1 - m) * self.running_mean.double() + m * mean)
                self.running_var.copy_((1 - m) * self.running_var.double() + m * var * n / (n - 1))
        else:
            mean, var = self.running_mean.double(), self.running_var.double()
        y = (rows - mean.unsqueeze(1)) / torch.sqrt(var + self.eps).unsqueeze(1)
        y = torch.addcmul(self.bias.double().unsqueeze(1), y, self.weight.double().unsqueeze(1))
        y = y.clamp_min(0).to(x.dtype)
        t = x.transpose(0, 1)
        return y.reshape(t.shape).transpose(0, 1).contiguous()
