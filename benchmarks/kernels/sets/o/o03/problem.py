import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Linear layer with 4-bit weights (W4A32), quantised per group of input features. Inference only.

    w[o, i] = (code[o, i] - zeros[o, i // group_size]) * scales[o, i // group_size]
    with the 4-bit codes packed two a byte, the even input feature in the low nibble.
    The zero points are real numbers: checkpoints calibrated by HQQ hold fractional ones.
    """

    def __init__(self, in_features: int, out_features: int, group_size: int):
        """
        Args:
            in_features (int): a multiple of group_size.
            out_features (int): any positive number.
            group_size (int): even.
        """
        super(Model, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.group_size = group_size
        # round-to-nearest asymmetric quantisation of a random weight
        w = torch.randn(out_features, in_features) * in_features ** -0.5
        g = w.view(out_features, in_features // group_size, group_size)
        lo, hi = g.amin(-1, keepdim=True), g.amax(-1, keepdim=True)
        scales = ((hi - lo) / 15.0).clamp(min=1e-8)
        zeros = torch.round(-lo / scales)
        codes = (torch.round(g / scales) + zeros).clamp(0, 15).to(torch.uint8).view(out_features, in_features)
        self.register_buffer("qweight", codes[:, 0::2] | (codes[:, 1::2] << 4))  # (out, in / 2) uint8
        self.register_buffer("scales", scales.squeeze(-1).contiguous())          # (out, in / group_size)
        self.register_buffer("zeros", zeros.squeeze(-1).contiguous())            # (out, in / group_size)
        self.register_buffer("bias", torch.zeros(out_features))

    @torch.no_grad()
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x (torch.Tensor): float32, (..., in_features).
        Returns:
            torch.Tensor: (..., out_features).
        """
        codes = torch.stack([self.qweight & 0xF, self.qweight >> 4], dim=-1)
        codes = codes.view(self.out_features, -1, self.group_size).to(torch.float32)
        w = (codes - self.zeros.unsqueeze(-1)) * self.scales.unsqueeze(-1)
        return torch.matmul(x, w.view(self.out_features, self.in_features).t()) + self.bias


batch_size = 4
tokens = 10
in_features = 256
out_features = 96
group_size = 64


def get_inputs():
    return [torch.randn(batch_size, tokens, in_features)]


def get_init_inputs():
    return [in_features, out_features, group_size]
