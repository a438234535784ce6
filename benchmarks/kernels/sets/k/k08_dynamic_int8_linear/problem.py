import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Linear layer with int8 weights (one scale per output) and activations quantised per row on the
    fly (symmetric, round half to even); whole-number accumulation. Inputs are finite; a row of
    zeros gives the bias.
    """

    def __init__(self, in_features: int, out_features: int):
        super(Model, self).__init__()
        weight = torch.randint(-64, 64, (out_features, in_features), dtype=torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale", torch.rand(out_features) * 0.01 + 0.001)
        self.register_buffer("bias", torch.randn(out_features))

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = (x.abs().amax(dim=-1, keepdim=True) / 127.0).clamp(min=1e-12)
        q = torch.round(x / scale).clamp(-127, 127).to(torch.int64)
        acc = torch.matmul(q.double(), self.weight.double().t())
        return acc.to(x.dtype) * (scale * self.weight_scale) + self.bias


batch_size = 64
in_features = 512
out_features = 128


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
