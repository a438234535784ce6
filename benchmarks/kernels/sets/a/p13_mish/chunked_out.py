import torch
import torch.nn as nn


class ModelNew(nn.Module):
    CHUNK = 1000

    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        src = x.contiguous().view(-1)
        dst = torch.empty_like(src)
        n = src.numel()
        for i in range(0, n, self.CHUNK):
            t = src[i:i + self.CHUNK]
            buf = torch.empty_like(t)
            torch.abs(t, out=buf)
            torch.neg(buf, out=buf)
            torch.exp(buf, out=buf)
            torch.log1p(buf, out=buf)
            buf.add_(t.clamp(min=0))
            torch.tanh(buf, out=buf)
            torch.mul(buf, t, out=dst[i:i + self.CHUNK])
        return dst.view(x.shape)
