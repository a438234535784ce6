import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Fused language-model head and loss: linear projection, logit soft cap, label-smoothed cross
    entropy and z-loss.

        logits = softcap * tanh((h @ weight.T) / softcap)                      (N, V)
        lse    = logsumexp(logits, dim=1)
        nll    = (1 - smoothing) * (lse - logits[target]) + smoothing * (lse - mean_v(logits))
        loss   = mean over the valid tokens of (nll + z_weight * lse^2)

    forward(h, target):
        h       (N, hidden) float32
        target  (N,) int64, each in [0, vocab) or equal to -100; tokens of -100 are padding:
                they do not count, neither in the sum nor in the number that the mean divides by.
        returns a scalar float32; exactly 0 if no token is valid (with zero gradients).

    The smoothing mass goes evenly to all vocab classes, the target's included. N is any size >= 1.
    Raw logits (before the cap) can be of any size up to 1e3; softcap is 30 or so.
    It is the last op of a trained model: gradients with respect to h and weight are needed, also
    when the loss is scaled or added to other losses before backward(). Inputs are not modified.
    """

    def __init__(self, hidden: int, vocab: int, softcap: float, smoothing: float, z_weight: float):
        super().__init__()
        self.softcap = softcap
        self.smoothing = smoothing
        self.z_weight = z_weight
        self.weight = nn.Parameter(torch.randn(vocab, hidden) * hidden**-0.5)

    def forward(self, h: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits = self.softcap * torch.tanh(h @ self.weight.t() / self.softcap)
        valid = target != -100
        safe = torch.where(valid, target, torch.zeros_like(target))
        lse = torch.logsumexp(logits, dim=1)
        hit = logits.gather(1, safe[:, None]).squeeze(1)
        nll = (1 - self.smoothing) * (lse - hit) + self.smoothing * (lse - logits.mean(dim=1))
        per_token = torch.where(valid, nll + self.z_weight * lse * lse, torch.zeros_like(lse))
        return per_token.sum() / valid.sum().clamp(min=1)


N = 96
HIDDEN = 48
VOCAB = 1000
SOFTCAP = 30.0
SMOOTHING = 0.1
Z_WEIGHT = 1e-3


def get_inputs():
    return [torch.randn(N, HIDDEN), torch.randint(0, VOCAB, (N,))]


def get_init_inputs():
    return [HIDDEN, VOCAB, SOFTCAP, SMOOTHING, Z_WEIGHT]
