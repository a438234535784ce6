import torch
import torch.nn as nn


def _avg_matrix(n, o, dtype):
    i = torch.arange(o)
    lo = (i * n) // o
    hi = ((i + 1) * n + o - 1) // o
    k = torch.arange(n)
    inside = (k[None] >= lo[:, None]) & (k[None] < hi[:, None])
    return inside.to(dtype) / (hi - lo)[:, None].to(dtype)


class ModelNew(nn.Module):
    def __init__(self, channels, out_h, out_w):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        self.out_size = (out_h, out_w)

    def forward(self, x):
        bn = self.bn
        if bn.training:
            mean = x.mean((0, 2, 3), keepdim=True)
            d = x - mean
            lo = d.mean((0, 2, 3), keepdim=True)         # low-order part of the mean
            d = d - lo
            var = d.square().mean((0, 2, 3), keepdim=True)
            cnt = x.numel() / x.shape[1]
            with torch.no_grad():
                mo = bn.momentum
                bn.running_mean.mul_(1 - mo).add_(mean.reshape(-1), alpha=mo)
                bn.running_var.mul_(1 - mo).add_(var.reshape(-1), alpha=mo * cnt / (cnt - 1))
                bn.num_batches_tracked.add_(1)
        else:
            mean = bn.running_mean.view(1, -1, 1, 1)
            var = bn.running_var.view(1, -1, 1, 1)
            d = x - mean
        z = d * (bn.weight.view(1, -1, 1, 1) / torch.sqrt(var + bn.eps))
        z = torch.relu(z + bn.bias.view(1, -1, 1, 1))
        ph = _avg_matrix(x.shape[2], self.out_size[0], x.dtype)
        pw = _avg_matrix(x.shape[3], self.out_size[1], x.dtype)
        return torch.matmul(torch.matmul(ph, z), pw.t())
