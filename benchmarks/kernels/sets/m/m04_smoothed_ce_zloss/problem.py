import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Language-model training loss: label-smoothed cross entropy plus a z-loss on the
    log-partition function, averaged over the targets that are not ignore_index.
    With no such target the loss is zero.
    """

    def __init__(self, label_smoothing: float = 0.1, z_weight: float = 1e-4, ignore_index: int = -100):
        super().__init__()
        self.label_smoothing = label_smoothing
        self.z_weight = z_weight
        self.ignore_index = ignore_index

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """
        logits: (N, V), finite; target: (N,) int64 in [0, V) or ignore_index
        """
        valid = target != self.ignore_index
        safe = target.masked_fill(~valid, 0)
        lse = torch.logsumexp(logits, dim=-1)
        picked = logits.gather(1, safe[:, None]).squeeze(1)
        nll = lse - picked
        smooth = lse - logits.mean(dim=-1)
        loss = (1.0 - self.label_smoothing) * nll + self.label_smoothing * smooth + self.z_weight * lse.square()
        loss = loss.masked_fill(~valid, 0.0)
        return loss.sum() / valid.sum().clamp(min=1)


num_tokens = 12
vocab = 300


def get_inputs():
    return [torch.randn(num_tokens, vocab), torch.randint(0, vocab, (num_tokens,))]


def get_init_inputs():
    return []
