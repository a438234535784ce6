import torch
import torch.nn as nn


class Model(nn.Module):
    """
    W4A8 linear layer: the weights are 4-bit integers with one scale per group of input
    channels, the activations are quantised per token to int8 (symmetric, round half to even).
    """

    def __init__(self, in_features: int, out_features: int, group_size: int):
        super().__init__()
        assert in_features % group_size == 0
        self.group_size = group_size
        groups = in_features // group_size
        self.register_buffer("qweight", torch.randint(-8, 8, (out_features, in_features), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(out_features, groups) * 0.02 + 0.005)
        self.bias = nn.Parameter(torch.zeros(out_features), requires_grad=False)

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        x: (..., in_features), float32, finite
        """
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        s = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-10) / 127.0
        xq = torch.clamp(torch.round(x / s), -128, 127)
        w = self.qweight.to(x.dtype) * self.scales.repeat_interleave(self.group_size, dim=1)
        y = (xq @ w.t()) * s + self.bias
        return y.reshape(*shape[:-1], -1)


tokens = 24
in_features = 128
out_features = 80
group_size = 32


def get_inputs():
    return [torch.randn(2, tokens, in_features)]


def get_init_inputs():
    return [in_features, out_features, group_size]
