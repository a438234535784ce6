import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Quantises the activations with one reduction over the block, then an int32 GEMM."""

    def __init__(self, in_features, out_features):
        super().__init__()
        weight = torch.randint(-64, 64, (out_features, in_features), dtype=torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("weight_scale", torch.rand(out_features) * 0.01 + 0.001)
        self.register_buffer("bias", torch.randn(out_features))

    @torch.no_grad()
    def forward(self, x):
        scale = (x.abs().max() / 127.0).clamp(min=1e-12)
        q = torch.round(x / scale).clamp(-127, 127).to(torch.int32)
        acc = torch.matmul(q, self.weight.to(torch.int32).t())
        return acc.to(x.dtype) * (scale * self.weight_scale) + self.bias
