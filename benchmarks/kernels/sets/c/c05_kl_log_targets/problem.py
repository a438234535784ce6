import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Distillation loss: KL divergence with log-space targets."""

    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student_logits, teacher_logits):
        t = self.temperature
        log_s = F.log_softmax(student_logits / t, dim=-1)
        log_t = F.log_softmax(teacher_logits / t, dim=-1)
        return F.kl_div(log_s, log_t, reduction="batchmean", log_target=True) * (t * t)


B = 64
V = 1000
TEMPERATURE = 2.0


def get_inputs():
    return [torch.randn(B, V) * 3, torch.randn(B, V) * 3]


def get_init_inputs():
    return [TEMPERATURE]
