"""CRF NLL, parallel in time: the partition function is a product of K x K matrices in the
(logsumexp, +) semiring and is reduced as a balanced tree. Padding becomes the identity matrix."""
import torch
import torch.nn as nn

NEG = float("-inf")


def _lse(x, dim):
    m = x.amax(dim, keepdim=True).detach()
    m = torch.where(m == NEG, torch.zeros_like(m), m)
    s = (x - m).exp().sum(dim)
    # identity matrices hold log(0) entries: keep them at -inf without producing NaN gradients
    dead = s == 0
    return torch.where(dead, torch.full_like(s, NEG), torch.where(dead, torch.ones_like(s), s).log() + m.squeeze(dim))


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions, tags, mask):
        B, T, K = emissions.shape
        first = emissions[:, 0] + self.start
        if T > 1:
            eye = torch.full((K, K), NEG, device=emissions.device, dtype=emissions.dtype)
            eye.fill_diagonal_(0.0)
            mats = self.transitions + emissions[:, 1:, None, :]       # (B, T-1, from, to)
            mats = torch.where(mask[:, 1:, None, None], mats, eye)
            while mats.shape[1] > 1:
                odd = mats.shape[1] % 2
                tail = mats[:, -1:] if odd else None
                left, right = mats[:, 0:mats.shape[1] - odd:2], mats[:, 1::2]
                mats = _lse(left[..., :, :, None] + right[..., None, :, :], -2)
                if odd:
                    mats = torch.cat([mats, tail], 1)
            alpha = _lse(first[:, :, None] + mats[:, 0], 1)
        else:
            alpha = first
        log_z = _lse(alpha + self.end, 1)

        unary = emissions.gather(2, tags[..., None])[..., 0]
        score = torch.where(mask, unary, torch.zeros_like(unary)).sum(1)
        pair = self.transitions[tags[:, :-1], tags[:, 1:]]
        score = score + torch.where(mask[:, 1:], pair, torch.zeros_like(pair)).sum(1)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0]
        return log_z - (score + self.start[tags[:, 0]] + self.end[last])
