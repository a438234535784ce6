import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """Quantise-dequantise under no_grad and the straight-through identity on top."""

    def __init__(self):
        super().__init__()
        self.register_buffer(
            "cuts", torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0]), persistent=False)
        self.register_buffer(
            "levels", torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]), persistent=False)

    @torch.no_grad()
    def _quant(self, x):
        D = x.shape[-1]
        xb = F.pad(x.float(), (0, -D % 32)).unflatten(-1, (-1, 32))
        amax = xb.abs().amax(-1, keepdim=True)
        e = torch.frexp(amax).exponent - 3
        e = e.masked_fill(amax == 0, -127)
        s = torch.exp2(e.float())
        a = (xb.abs() / s).contiguous()
        lo = torch.bucketize(a, self.cuts)               # tie -> lower level
        hi = torch.bucketize(a, self.cuts, right=True)   # tie -> upper level
        code = torch.where(lo % 2 == 0, lo, hi)
        y = torch.sign(xb) * self.levels[code] * s
        return y.flatten(-2)[..., :D].to(x.dtype), e.squeeze(-1)

    def forward(self, x):
        y, e = self._quant(x)
        if x.requires_grad:
            zero = x - x.detach()
            y = y + zero
        return y, e
