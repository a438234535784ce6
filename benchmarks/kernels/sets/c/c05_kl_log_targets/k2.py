import torch
import torch.nn as nn


class _Distill(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, t, temp):
        a = s / temp
        b = t / temp
        ls = a - torch.logsumexp(a, 1, keepdim=True)
        lt = b - torch.logsumexp(b, 1, keepdim=True)
        pt = lt.exp()
        row = (pt * (lt - ls)).sum(1, keepdim=True)
        ctx.save_for_backward(ls, lt, row)
        ctx.temp = temp
        return row.mean() * (temp * temp)

    @staticmethod
    def backward(ctx, go):
        ls, lt, row = ctx.saved_tensors
        n = ls.shape[0]
        t2 = ctx.temp * ctx.temp
        pt = lt.exp()
        gs = go * t2 / n * (ls.exp() - pt)
        gt = go * ctx.temp / n * pt * (lt - ls - row)
        return gs, gt, None


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student_logits, teacher_logits):
        return _Distill.apply(student_logits, teacher_logits, self.temperature)
