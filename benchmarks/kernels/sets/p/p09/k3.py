"""Masked batch norm: single read of x. Sums of x and x^2 are taken in float64 relative to a pivot (the
first valid row), which removes the offset of the data from the difference of squares."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x, mask):
        b, l, c = x.shape
        xv = x.masked_fill(~mask[..., None], 0.0).reshape(-1, c)
        mv = mask.reshape(-1)
        if self.training:
            n = int(mv.sum())
            if n > 0:
                pivot = xv[mv.to(torch.uint8).argmax()].detach().double()
                d = (xv.double() - pivot) * mv[:, None]
                s1, s2 = d.sum(0), (d * d).sum(0)
                shift = s1 / n
                var64 = (s2 / n - shift * shift).clamp_min(0.0)
                mean = (pivot + shift).to(x.dtype)
                var = var64.to(x.dtype)
                with torch.no_grad():
                    self.running_mean.lerp_(mean, self.momentum)
                    self.running_var.lerp_(var * n / max(n - 1, 1), self.momentum)
                    self.num_batches_tracked += 1
            else:
                mean = var = torch.zeros(c, dtype=x.dtype, device=x.device)
        else:
            mean, var = self.running_mean, self.running_var
        inv = torch.rsqrt(var + self.eps)
        y = torch.addcmul(self.bias, (xv - mean) * inv, self.weight)
        return y.masked_fill(~mv[:, None], 0.0).view(b, l, c)
