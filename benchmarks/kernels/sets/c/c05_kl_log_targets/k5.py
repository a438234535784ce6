import torch
import torch.nn as nn


class _KDLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, t, temp):
        s64, t64 = s.double() / temp, t.double() / temp
        ls = s64 - torch.logsumexp(s64, 1, keepdim=True)
        lt = t64 - torch.logsumexp(t64, 1, keepdim=True)
        row = (lt.exp() * (lt - ls)).sum(1, keepdim=True)
        ctx.save_for_backward(ls, lt, row)
        ctx.temp, ctx.dt = temp, s.dtype
        return (row.mean() * temp * temp).to(s.dtype)

    @staticmethod
    def backward(ctx, go):
        ls, lt, row = ctx.saved_tensors
        k = go.double() * ctx.temp / ls.shape[0]
        pt = lt.exp()
        gs = k * (ls.exp() - pt)
        gt = k * pt * (lt - ls - row)
        return gs.to(ctx.dt), gt.to(ctx.dt), None


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, student_logits, teacher_logits):
        return _KDLoss.apply(student_logits, teacher_logits, self.temperature)
