import torch
import torch.nn as nn

tokens = 32
in_features = 128
out_features = 96
group_size = 32


class Model(nn.Module):
    """
    Linear layer with 4-bit weights in groups (zero points and scales per group), fp16 activations.

    Weight (n, k) is (q[n, k] - zeros[n, k // group_size]) * scales[n, k // group_size] with q in
    0..15; qweight[n, j] holds q[n, 2j] in the low and q[n, 2j + 1] in the high four bits. The
    buffers are normally filled from a checkpoint after construction, or swapped for another's.

    Inputs:
        x: (tokens, in_features), float16, from one token (decoding) up to any number (prefill).
           Activations may come out of a squared ReLU: some channels reach a few thousand, while
           the outputs themselves stay inside float16's range.
    Returns:
        (tokens, out_features), float16: products summed in float32 and rounded once at the end.
    in_features is a multiple of group_size, group_size an even number. Inference only.
    """

    def __init__(self, in_features, out_features, group_size):
        super().__init__()
        self.group_size = group_size
        groups = in_features // group_size
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", (torch.rand(out_features, groups) * 0.01 + 0.005).half())
        self.register_buffer("zeros", torch.randint(5, 11, (out_features, groups), dtype=torch.uint8))
        self.register_buffer("bias", torch.randn(out_features).half())

    def forward(self, x):
        q = torch.stack([self.qweight & 15, self.qweight >> 4], -1).flatten(1).float()
        z = self.zeros.float().repeat_interleave(self.group_size, 1)
        s = self.scales.float().repeat_interleave(self.group_size, 1)
        return (x.float() @ ((q - z) * s).T + self.bias.float()).half()


def get_inputs():
    return [torch.randn(tokens, in_features).half()]


def get_init_inputs():
    return [in_features, out_features, group_size]
