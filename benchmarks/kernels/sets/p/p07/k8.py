"""CRF NLL on a shrinking batch: sequences are sorted by length and each step only touches the ones that
are still alive (no work is spent on padding), as in packed sequences."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions, tags, mask):
        lengths = mask.sum(1)
        order = torch.argsort(lengths, descending=True, stable=True)
        em, tg, ln = emissions[order], tags[order], lengths[order]
        steps = int(ln[0])
        alive = (ln[None, :] > torch.arange(steps, device=ln.device)[:, None]).sum(1).tolist()
        alpha = em[:, 0] + self.start
        gold = self.start[tg[:, 0]] + em[:, 0].gather(1, tg[:, :1])[:, 0]
        done_z, done_g = [], []
        n = alive[0]
        for t in range(1, steps + 1):
            k = alive[t] if t < steps else 0
            if k < n:                                             # sequences k..n-1 ended at t-1
                done_z.append(torch.logsumexp(alpha[k:n] + self.end, 1))
                done_g.append(gold[k:n] + self.end[tg[k:n, t - 1]])
                alpha, gold, n = alpha[:k], gold[:k], k
            if k == 0:
                break
            gold = gold + self.transitions[tg[:k, t - 1], tg[:k, t]] + em[:k, t].gather(1, tg[:k, t:t + 1])[:, 0]
            alpha = torch.logsumexp(alpha[:, :, None] + self.transitions, 1) + em[:k, t]
        nll = torch.cat(done_z[::-1]) - torch.cat(done_g[::-1])
        return torch.empty_like(nll).scatter(0, order, nll)
