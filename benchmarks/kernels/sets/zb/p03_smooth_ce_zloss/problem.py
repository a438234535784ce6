import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Training loss of a language model head: cross entropy with label smoothing plus z-loss,
    averaged over the tokens whose target is not ignore_index (-100).

        loss_t = (1 - eps) * (lse_t - logit_t[target]) + eps * (lse_t - mean(logit_t)) + z * lse_t ** 2

    logits: float32 (B, T, V), finite. targets: int64 (B, T), in [0, V) or -100.
    A batch without any valid token gives 0. The loss is backpropagated into the logits, usually
    after being scaled or summed with other losses.

    Args:
        eps (float): label smoothing.
        z (float): weight of the z-loss.
    """

    def __init__(self, eps: float, z: float):
        super().__init__()
        self.eps = eps
        self.z = z

    def forward(self, logits, targets):
        valid = targets != -100
        safe = targets.clamp(min=0)
        lse = torch.logsumexp(logits, dim=-1)
        picked = logits.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
        loss = (1 - self.eps) * (lse - picked) + self.eps * (lse - logits.mean(-1)) + self.z * lse ** 2
        loss = torch.where(valid, loss, torch.zeros_like(loss))
        return loss.sum() / valid.sum().clamp(min=1)


def get_inputs():
    logits = torch.randn(4, 32, 200, requires_grad=True)
    targets = torch.randint(0, 200, (4, 32))
    targets[:, -5:] = -100
    return [logits, targets]


def get_init_inputs():
    return [0.1, 1e-4]
