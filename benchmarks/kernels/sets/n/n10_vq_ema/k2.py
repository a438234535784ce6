import torch
import torch.nn as nn
import torch.nn.functional as F


class _Quantise(torch.autograd.Function):
    """Lookup, commitment loss and straight-through estimator with a hand-written backward."""

    @staticmethod
    def forward(ctx, x, embed, codes, beta):
        q = embed[codes]
        diff = x - q
        ctx.save_for_backward(diff)
        ctx.beta = beta
        return x + (q - x), beta * (diff * diff).mean()

    @staticmethod
    def backward(ctx, gq, gl):
        (diff,) = ctx.saved_tensors
        return gq + gl * (2.0 * ctx.beta / diff.numel()) * diff, None, None, None


class ModelNew(nn.Module):
    """Distances in double by the expanded square, after removing the mean of the codebook."""

    def __init__(self, n_codes, dim, decay=0.99, commitment=0.25, eps=1e-5):
        super().__init__()
        self.decay = decay
        self.commitment = commitment
        self.eps = eps
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_avg", embed.clone())

    def forward(self, x):
        with torch.no_grad():
            flat = x.reshape(-1, x.shape[-1])
            e = self.embed.double()
            shift = e.mean(0)
            e, f = e - shift, flat.double() - shift
            codes = (e.square().sum(1) - 2 * (f[:, None] * e).sum(-1)).argmin(1)
        shaped = codes.view(x.shape[:-1])
        quant, loss = _Quantise.apply(x, self.embed.clone(), shaped, self.commitment)
        if self.training:
            with torch.no_grad():
                order = torch.argsort(codes, stable=True)
                counts = torch.bincount(codes, minlength=self.embed.shape[0])
                # segment sums of the sorted rows
                cs = torch.cat([flat.new_zeros(1, flat.shape[1]).double(), flat[order].double().cumsum(0)])
                end = counts.cumsum(0)
                sums = (cs[end] - cs[end - counts]).to(flat.dtype)
                self.cluster_size.lerp_(counts.to(flat.dtype), 1 - self.decay)
                self.embed_avg.lerp_(sums, 1 - self.decay)
                n = self.cluster_size.sum()
                size = (self.cluster_size + self.eps) * (n / (n + self.eps * counts.numel()))
                self.embed.copy_(self.embed_avg / size[:, None])
        return quant, loss, shaped
