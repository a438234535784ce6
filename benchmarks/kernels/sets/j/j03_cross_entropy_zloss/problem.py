import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Training loss of a language model: cross entropy with label smoothing over all classes and the
    z-loss (squared log-partition), averaged over the tokens whose target is not ignore_index
    (zero if there is none).

    logits: (N, V) floats, target: (N,) int64 in [0, V) or ignore_index
    """

    def __init__(self, label_smoothing: float = 0.1, z_weight: float = 1e-4, ignore_index: int = -100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_weight = z_weight
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        valid = target != self.ignore_index
        lse = torch.logsumexp(logits, dim=-1)
        safe = torch.where(valid, target, torch.zeros_like(target))
        picked = logits.gather(1, safe[:, None]).squeeze(1)
        nll = lse - picked
        smooth = lse - logits.mean(dim=-1)
        eps = self.label_smoothing
        per_token = (1.0 - eps) * nll + eps * smooth + self.z_weight * lse * lse
        per_token = torch.where(valid, per_token, torch.zeros_like(per_token))
        return per_token.sum() / valid.sum().clamp(min=1)


N = 64
V = 500


def get_inputs():
    return [torch.randn(N, V) * 2.0, torch.randint(0, V, (N,))]


def get_init_inputs():
    return [0.1, 1e-4, -100]
