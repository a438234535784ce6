import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, group_size: int):
        super().__init__()
        assert in_features % group_size == 0
        self.group_size = group_size
        groups = in_features // group_size
        self.register_buffer("qweight", torch.randint(-8, 8, (out_features, in_features), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(out_features, groups) * 0.02 + 0.005)
        self.bias = nn.Parameter(torch.zeros(out_features), requires_grad=False)

    @torch.no_grad()
    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        amax = torch.maximum(x.max(dim=-1, keepdim=True).values, -x.min(dim=-1, keepdim=True).values)
        s = amax / 127.0
        xq = torch.clamp(torch.round(x / s), -128, 127)
        w = (self.qweight * self.scales.repeat_interleave(self.group_size, dim=1)).to(x.dtype)
        y = torch.nn.functional.linear(xq, w) * s + self.bias
        return y.reshape(*shape[:-1], -1)
