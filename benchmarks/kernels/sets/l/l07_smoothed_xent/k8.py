import torch
import torch.nn as nn


def _loss(x, t, ignore, eps):
    keep = t != ignore
    xs = x[keep].double()
    ts = t[keep]
    n, V = xs.shape
    top = xs.detach().amax(1, keepdim=True) if n else xs.new_zeros(0, 1)
    logp = xs - top - torch.log(torch.exp(xs - top).sum(1, keepdim=True))
    loss = -logp[torch.arange(n, device=x.device), ts].sum()
    if eps > 0:
        loss = loss * (1 - eps) - logp.sum() * (eps / V)
    return (loss / n).to(x.dtype) if n else (loss * float("nan")).to(x.dtype)


class ModelNew(nn.Module):
    def __init__(self, ignore_index, label_smoothing):
        super().__init__()
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, logits, target):
        return _loss(logits, target, self.ignore_index, self.label_smoothing)
