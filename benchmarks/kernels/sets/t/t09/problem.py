import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Knowledge distillation loss.

    forward(student, teacher, target):
      student  float32 [N, V] logits, finite
      teacher  float32 [N, V] logits, finite or -inf (vocabulary entries the teacher does not have; at least one per row is finite)
      target   int64 [N], a class in [0, V) or ignore_index
    Row loss:  alpha * T^2 * KL(p || q) + (1 - alpha) * CE,  with p = softmax(teacher / T), q = softmax(student / T),
    KL = sum p * (log p - log q) where classes with p = 0 contribute 0, CE = -log_softmax(student)[target].
    A row whose target equals ignore_index has loss 0 (both terms).  ignore_index may be any integer; if it lies in [0, V), e.g. a padding
    class 0, rows with that target are ignored rows (the class stays in the softmax).
    reduction: "mean" = sum of the row losses / number of rows that are not ignored, exactly 0 when there is none; "sum"; "none" = [N].

    Gradients with respect to student are needed (0 for ignored rows), also when the loss is only a part of a larger one, i.e. for any
    incoming gradient.  The teacher is a constant: no gradient reaches it even if it requires one.

    What the inputs may be: N from 1 to 128 and V from 2 to 8,000, logits up to +-200, T in [0.5, 20], alpha in [0, 1].  Any strides.  Inputs must not
    be modified.
    """

    def __init__(self, temperature=2.0, alpha=0.5, ignore_index=-100, reduction="mean"):
        super().__init__()
        self.temperature = temperature
        self.alpha = alpha
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, student, teacher, target):
        T = self.temperature
        teacher = teacher.detach()
        keep = target != self.ignore_index
        logp = F.log_softmax(teacher / T, dim=-1)
        logq = F.log_softmax(student / T, dim=-1)
        p = logp.exp()
        zero = torch.zeros((), dtype=student.dtype)
        kl = torch.where(p > 0, p * (torch.where(p > 0, logp, zero) - logq), zero).sum(-1)
        safe = torch.where(keep, target, torch.zeros_like(target))
        ce = -F.log_softmax(student, dim=-1).gather(1, safe[:, None])[:, 0]
        rows = torch.where(keep, self.alpha * T * T * kl + (1 - self.alpha) * ce, zero)
        if self.reduction == "none":
            return rows
        total = rows.sum()
        if self.reduction == "sum":
            return total
        return total / keep.sum().clamp(min=1)


N, V = 48, 120


def get_inputs():
    target = torch.randint(0, V, (N,))
    target[::7] = -100
    return [torch.randn(N, V) * 2, torch.randn(N, V) * 2, target]


def get_init_inputs():
    return [3.0, 0.6]
