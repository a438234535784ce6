import torch
import torch.nn as nn
import torch.nn.functional as F

tokens = 48
hidden = 32
vocab = 96


class Model(nn.Module):
    """Student LM head followed by the generalised Jensen-Shannon distillation loss (GKD).

    beta = 0 is the forward KL(teacher || student), beta = 1 the reverse KL(student || teacher)."""

    def __init__(self, hidden, vocab, beta=0.5, temperature=1.0, ignore_index=-100):
        super().__init__()
        self.head = nn.Linear(hidden, vocab, bias=False)
        self.beta = beta
        self.temperature = temperature
        self.ignore_index = ignore_index

    def forward(self, student_hidden, teacher_logits, labels):
        s = F.log_softmax(self.head(student_hidden) / self.temperature, -1)
        t = F.log_softmax(teacher_logits / self.temperature, -1)
        if self.beta == 0:
            d = t.exp() * (t - s)
        elif self.beta == 1:
            d = s.exp() * (s - t)
        else:
            b = torch.tensor(self.beta, dtype=s.dtype, device=s.device)
            m = torch.logsumexp(torch.stack([s + torch.log1p(-b), t + torch.log(b)]), 0)
            d = b * t.exp() * (t - m) + (1 - b) * s.exp() * (s - m)
        keep = labels != self.ignore_index
        per_token = torch.where(keep, d.sum(-1), torch.zeros_like(d[..., 0]))
        return per_token.sum() / keep.sum().clamp_min(1)


def get_inputs():
    return [torch.randn(tokens, hidden), 2 * torch.randn(tokens, vocab), torch.randint(0, vocab, (tokens,))]


def get_init_inputs():
    return [hidden, vocab]
