import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Modulated deformable convolution (DCNv2); offsets and masks are predicted from the input.

    The predictor gives 3 * k * k channels: for tap t channel 2t is dy and 2t + 1 is dx (in pixels),
    channel 2 * k * k + t is the mask logit. Bilinear sampling, pixels outside the image are zero.
    The predictor starts at zero (plain convolution with mask 1/2), as usual; trained weights are
    loaded or copied in. Inference only.
    """

    def __init__(self, c_in, c_out, k, stride, padding, dilation):
        super().__init__()
        self.k, self.s, self.p, self.d = k, stride, padding, dilation
        self.weight = nn.Parameter(torch.randn(c_out, c_in, k, k) / (c_in * k * k) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(c_out))
        self.pred = nn.Conv2d(c_in, 3 * k * k, k, stride, padding, dilation)
        nn.init.zeros_(self.pred.weight)
        nn.init.zeros_(self.pred.bias)

    @torch.no_grad()
    def forward(self, x):
        N, C, H, W = x.shape
        kk = self.k * self.k
        pr = self.pred(x)
        Ho, Wo = pr.shape[-2:]
        off = pr[:, : 2 * kk].view(N, kk, 2, Ho, Wo)
        mask = pr[:, 2 * kk :].sigmoid()
        tap = torch.arange(kk, device=x.device)
        ty = torch.div(tap, self.k, rounding_mode="floor") * self.d
        tx = tap % self.k * self.d
        oy = torch.arange(Ho, device=x.device) * self.s - self.p
        ox = torch.arange(Wo, device=x.device) * self.s - self.p
        y = off[:, :, 0] + (ty[:, None, None] + oy[None, :, None]).to(x.dtype)
        xx = off[:, :, 1] + (tx[:, None, None] + ox[None, None, :]).to(x.dtype)
        y0, x0 = y.floor(), xx.floor()
        flat = x.reshape(N, C, H * W)
        val = 0
        for dy in (0, 1):
            for dx in (0, 1):
                yi, xi = y0 + dy, x0 + dx
                w = (1 - (y - yi).abs()) * (1 - (xx - xi).abs())
                w = w * ((yi >= 0) & (yi < H) & (xi >= 0) & (xi < W)).to(x.dtype)
                idx = (yi.clamp(0, H - 1) * W + xi.clamp(0, W - 1)).long().view(N, 1, -1)
                val = val + flat.gather(2, idx.expand(N, C, -1)).view(N, C, kk, Ho, Wo) * w[:, None]
        val = val * mask[:, None]
        out = torch.einsum("ock,nckhw->nohw", self.weight.flatten(2), val)
        return out + self.bias[:, None, None]


N = 2
C_IN = 8
C_OUT = 12
H = 20
W = 20
K = 3
STRIDE = 1
PADDING = 1
DILATION = 1


def get_inputs():
    return [torch.randn(N, C_IN, H, W)]


def get_init_inputs():
    return [C_IN, C_OUT, K, STRIDE, PADDING, DILATION]
