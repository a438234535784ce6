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
        s = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-10) / 127.0
        # round to nearest
        xq = torch.clamp(torch.floor(x / s + 0.5), -128, 127)
        G = shape[-1] // self.group_size
        xg = xq.view(-1, G, self.group_size).transpose(0, 1)
        wg = self.qweight.to(x.dtype).view(-1, G, self.group_size).permute(1, 2, 0)
        y = torch.bmm(xg, wg)
        y = (y * self.scales.t()[:, None, :]).sum(0)
        return (y * s + self.bias).reshape(*shape[:-1], -1)
