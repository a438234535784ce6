import math

import torch
import torch.nn as nn
import torch.nn.functional as F

CHUNK = 20


class ModelNew(nn.Module):
    """Token chunks bound the size of the [tokens, vocab] temporaries."""

    def __init__(self, hidden, vocab, beta=0.5, temperature=1.0, ignore_index=-100):
        super().__init__()
        self.head = nn.Linear(hidden, vocab, bias=False)
        self.beta = beta
        self.temperature = temperature
        self.ignore_index = ignore_index

    def _chunk(self, h, tl, keep):
        inv = 1.0 / self.temperature
        ls = torch.log_softmax((h @ self.head.weight.t()) * inv, -1)
        lt = torch.log_softmax(tl * inv, -1)
        if self.beta == 0:
            d = F.kl_div(ls, lt, reduction="none", log_target=True)
        elif self.beta == 1:
            d = F.kl_div(lt, ls, reduction="none", log_target=True)
        else:
            b = self.beta
            lm = torch.logaddexp(ls + math.log1p(-b), lt + math.log(b))
            d = b * F.kl_div(lm, lt, reduction="none", log_target=True) \
                + (1 - b) * F.kl_div(lm, ls, reduction="none", log_target=True)
        return d.sum(-1).masked_fill(~keep, 0.0).sum()

    def forward(self, student_hidden, teacher_logits, labels):
        h = student_hidden.reshape(-1, student_hidden.shape[-1])
        tl = teacher_logits.reshape(-1, teacher_logits.shape[-1])
        keep = (labels != self.ignore_index).reshape(-1)
        total = h.new_zeros(())
        for i in range(0, h.shape[0], CHUNK):
            total = total + self._chunk(h[i:i + CHUNK], tl[i:i + CHUNK], keep[i:i + CHUNK])
        return total / max(int(keep.sum()), 1)
