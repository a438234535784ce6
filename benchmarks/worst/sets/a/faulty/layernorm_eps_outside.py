import torch
import torch.nn as nn


class NormEpsOutside(nn.Module):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return d / (torch.sqrt((d * d).mean(-1, keepdim=True)) + 1e-5)


class Norm(nn.Module):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return d / torch.sqrt((d * d).mean(-1, keepdim=True) + 1e-5)


actual = NormEpsOutside()
expected = Norm()


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(16, 32, generator=g),)
