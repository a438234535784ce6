"""CRF NLL with an explicit backward pass: gradients are forward-backward marginals minus gold counts."""
import torch
import torch.nn as nn


class _CRF(torch.autograd.Function):
    @staticmethod
    def forward(ctx, em, tags, mask, start, end, trans):
        B, T, K = em.shape
        alphas = [em[:, 0] + start]
        for t in range(1, T):
            n = torch.logsumexp(alphas[-1][:, :, None] + trans, 1) + em[:, t]
            alphas.append(torch.where(mask[:, t, None], n, alphas[-1]))
        log_z = torch.logsumexp(alphas[-1] + end, 1)
        unary = em.gather(2, tags[..., None])[..., 0]
        score = torch.where(mask, unary, torch.zeros_like(unary)).sum(1)
        pair = trans[tags[:, :-1], tags[:, 1:]]
        score = score + torch.where(mask[:, 1:], pair, torch.zeros_like(pair)).sum(1)
        last = mask.sum(1) - 1
        ltag = tags[torch.arange(B, device=em.device), last]
        score = score + start[tags[:, 0]] + end[ltag]
        ctx.save_for_backward(em, tags, mask, start, end, trans, torch.stack(alphas), log_z, ltag)
        return log_z - score

    @staticmethod
    def backward(ctx, g):
        em, tags, mask, start, end, trans, alphas, log_z, ltag = ctx.saved_tensors
        B, T, K = em.shape
        g_em = torch.zeros_like(em)
        g_tr = torch.zeros_like(trans)
        beta = end.expand(B, K)
        lz = log_z[:, None]
        # the last column is the marginal of the final tag whatever the length
        fin = torch.exp(alphas[-1] + end - lz)
        g_end = (g[:, None] * fin).sum(0)
        g_end = g_end - torch.zeros_like(g_end).index_add(0, ltag, g)
        for t in range(T - 1, -1, -1):
            m = mask[:, t, None]
            marg = torch.exp(alphas[t] + beta - lz)
            hot = torch.zeros_like(marg).scatter_(1, tags[:, t, None], 1.0)
            g_em[:, t] = torch.where(m, g[:, None] * (marg - hot), torch.zeros_like(marg))
            if t > 0:
                inner = em[:, t] + beta
                joint = torch.exp(alphas[t - 1][:, :, None] + trans + inner[:, None, :] - lz[:, :, None])
                w = torch.where(mask[:, t], g, torch.zeros_like(g))
                joint = torch.where(m[:, :, None], joint, torch.zeros_like(joint))
                g_tr += torch.einsum("b,bij->ij", w, joint)
                flat = tags[:, t - 1] * K + tags[:, t]
                g_tr.view(-1).index_add_(0, flat, -w)
                nb = torch.logsumexp(trans + inner[:, None, :], 2)
                beta = torch.where(m, nb, beta)
        g_start = g_em[:, 0].sum(0)          # the first step always counts: same statistics
        return g_em, None, None, g_start, g_end, g_tr


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions, tags, mask):
        return _CRF.apply(emissions, tags, mask, self.start, self.end, self.transitions)
