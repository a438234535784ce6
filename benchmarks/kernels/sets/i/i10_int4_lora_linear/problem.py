import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear layer with a frozen 4-bit weight and a trainable low-rank adapter.

    qweight: (O, I / 2) uint8, low nibble = even column; scales, zeros: (O, I / group), zeros uint8
    in 0..15; w = (q - zero) * scale. y = x w^T + bias + alpha / r * (x A^T) B^T for x (..., I).
    I is a multiple of group, group is even. All arithmetic in float32 at least, the result in the
    dtype of x (float32 or bfloat16). Training: gradients flow to x, lora_a, lora_b, bias.
    """

    def __init__(self, n_in, n_out, group, rank, alpha):
        super().__init__()
        self.group, self.scale = group, alpha / rank
        self.register_buffer("qweight", torch.randint(0, 256, (n_out, n_in // 2), dtype=torch.uint8))
        self.register_buffer("scales", (torch.rand(n_out, n_in // group) + 0.5) / (4 * math.sqrt(n_in)))
        self.register_buffer("zeros", torch.full((n_out, n_in // group), 8, dtype=torch.uint8))
        self.lora_a = nn.Parameter(torch.randn(rank, n_in) / math.sqrt(n_in))
        self.lora_b = nn.Parameter(torch.zeros(n_out, rank))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def dequant(self):
        q = torch.stack((self.qweight & 15, self.qweight >> 4), -1).flatten(1).to(self.scales.dtype)
        g = q.unflatten(1, (-1, self.group)) - self.zeros[..., None].to(q.dtype)
        return (g * self.scales[..., None]).flatten(1)

    def forward(self, x):
        w = self.dequant()
        xf = x.to(w.dtype)
        y = F.linear(xf, w, self.bias) + self.scale * F.linear(F.linear(xf, self.lora_a), self.lora_b)
        return y.to(x.dtype)


BATCH = 4
SEQ = 8
N_IN = 256
N_OUT = 96
GROUP = 32
RANK = 8
ALPHA = 16.0


def get_inputs():
    return [torch.randn(BATCH, SEQ, N_IN)]


def get_init_inputs():
    return [N_IN, N_OUT, GROUP, RANK, ALPHA]
