import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Multi-class focal loss with learnable class weights.

    loss_i = -alpha[t_i] * (1 - p_i)^gamma * log p_i, averaged over the rows whose target is
    not -1 (ignored rows). With no such row the loss is 0. gamma >= 1.
    """

    def __init__(self, num_classes, gamma):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(num_classes))
        self.gamma = gamma

    def forward(self, logits, target):
        valid = target != -1
        safe = target.clamp(min=0)
        logp = F.log_softmax(logits, dim=1).gather(1, safe[:, None])[:, 0]
        pt = logp.exp()
        loss = -self.alpha[safe] * (1.0 - pt).clamp(min=0.0) ** self.gamma * logp
        return (loss * valid).sum() / valid.sum().clamp(min=1)


N = 24
C = 10
GAMMA = 2.0


def get_inputs():
    return [torch.randn(N, C) * 2, torch.randint(0, C, (N,))]


def get_init_inputs():
    return [C, GAMMA]
