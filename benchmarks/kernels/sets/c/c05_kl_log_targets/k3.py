import numpy as np
import torch
import torch.nn as nn

ROWS = 24


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    @torch.no_grad()
    def forward(self, student_logits, teacher_logits):
        s = student_logits.detach().numpy()
        t = teacher_logits.detach().numpy()
        temp = float(self.temperature)
        total = 0.0
        for r in range(0, s.shape[0], ROWS):
            a = s[r:r + ROWS].astype(np.float64) / temp
            b = t[r:r + ROWS].astype(np.float64) / temp
            a -= a.max(1, keepdims=True)
            b -= b.max(1, keepdims=True)
            eb = np.exp(b)
            la = np.log(np.exp(a).sum(1))
            zb = eb.sum(1)
            inner = (eb * (b - a)).sum(1) / zb
            total += float((inner + la - np.log(zb)).sum())
        return torch.tensor(total * temp * temp / s.shape[0], dtype=student_logits.dtype)
