"""CRF NLL. log Z is a custom Function that stores the edge posteriors during a backward sweep; the gold
score stays in autograd."""
import torch
import torch.nn as nn


class LogPartition(torch.autograd.Function):
    @staticmethod
    def forward(ctx, em, mask, start, end, trans):
        B, T, K = em.shape
        alpha = em.new_empty(T, B, K)
        alpha[0] = em[:, 0] + start
        for t in range(1, T):
            nxt = torch.logsumexp(alpha[t - 1].unsqueeze(2) + trans, dim=1) + em[:, t]
            alpha[t] = torch.where(mask[:, t, None], nxt, alpha[t - 1])
        z = torch.logsumexp(alpha[T - 1] + end, dim=1)
        ctx.save_for_backward(em, mask, end, trans, alpha, z)
        return z

    @staticmethod
    def backward(ctx, grad_z):
        em, mask, end, trans, alpha, z = ctx.saved_tensors
        B, T, K = em.shape
        grad_em = torch.zeros_like(em)
        grad_trans = torch.zeros_like(trans)
        beta = end.expand(B, K)
        post_last = torch.softmax(alpha[T - 1] + end, dim=1)
        grad_end = grad_z @ post_last
        for t in range(T - 1, 0, -1):
            on = mask[:, t, None]
            node = torch.exp(alpha[t] + beta - z[:, None])
            grad_em[:, t] = torch.where(on, node, torch.zeros_like(node)) * grad_z[:, None]
            msg = em[:, t] + beta
            edge = torch.exp(alpha[t - 1].unsqueeze(2) + trans + msg.unsqueeze(1) - z[:, None, None])
            edge = torch.where(on.unsqueeze(2), edge, torch.zeros_like(edge))
            grad_trans += edge.sum(dim=0)
            beta = torch.where(on, torch.logsumexp(trans + msg.unsqueeze(1), dim=2), beta)
        node = torch.exp(alpha[0] + beta - z[:, None]) * grad_z[:, None]
        grad_em[:, 0] = node
        return grad_em, None, node.sum(dim=0), grad_end, grad_trans


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions, tags, mask):
        z = LogPartition.apply(emissions, mask, self.start, self.end, self.transitions)
        unary = emissions.gather(2, tags.unsqueeze(-1)).squeeze(-1)
        score = unary.masked_fill(~mask, 0.0).sum(1) + self.start[tags[:, 0]]
        step = self.transitions[tags[:, :-1], tags[:, 1:]].masked_fill(~mask[:, 1:], 0.0)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return z - (score + step.sum(1) + self.end[last])
