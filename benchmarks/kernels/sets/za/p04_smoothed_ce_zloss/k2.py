import torch
import torch.nn as nn


class _FusedCE(torch.autograd.Function):
    CHUNK = 32

    @staticmethod
    def forward(ctx, logits, target, cw, smoothing, ignore_index, z_coef):
        n, c = logits.shape
        valid = target != ignore_index
        safe = target.masked_fill(~valid, 0)
        v = valid.float()
        w = cw[safe] * v
        denom = w.sum()
        count = v.sum()
        grad = torch.zeros_like(logits, memory_format=torch.contiguous_format)
        total = logits.new_zeros(())
        if count > 0:
            wsum = cw.sum()
            for i in range(0, n, _FusedCE.CHUNK):
                sl = slice(i, min(n, i + _FusedCE.CHUNK))
                x = logits[sl]
                ts, ws, vs = safe[sl], w[sl], v[sl]
                lse = torch.logsumexp(x, -1)
                logp = x - lse[:, None]
                nll = -logp.gather(1, ts[:, None]).squeeze(1) * ws
                sm = -(logp * cw).sum(1) * vs / c
                total += (((1 - smoothing) * nll + smoothing * sm) / denom).sum()
                total += (z_coef * lse * lse * vs).sum() / count
                p = logp.exp()
                a = ((1 - smoothing) * ws + smoothing * wsum * vs / c) / denom
                a = a + 2 * z_coef * lse * vs / count
                gr = p * a[:, None] - (smoothing / c / denom) * vs[:, None] * cw
                gr[torch.arange(x.shape[0]), ts] -= (1 - smoothing) * ws / denom
                grad[sl] = gr
        ctx.save_for_backward(grad)
        return total

    @staticmethod
    def backward(ctx, grad_output):
        (grad,) = ctx.saved_tensors
        return grad, None, None, None, None, None


class ModelNew(nn.Module):
    def __init__(self, num_classes, smoothing=0.1, ignore_index=-100, z_coef=1e-3):
        super().__init__()
        self.smoothing = smoothing
        self.ignore_index = ignore_index
        self.z_coef = z_coef
        self.register_buffer("class_weight", torch.ones(num_classes))

    def forward(self, logits, target):
        return _FusedCE.apply(
            logits, target, self.class_weight, self.smoothing, self.ignore_index, self.z_coef
        )
