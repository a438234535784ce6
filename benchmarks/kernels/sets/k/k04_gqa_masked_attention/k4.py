import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """A loop over query heads; scores and sums in float64."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim, self.softcap = head_dim, softcap

    def forward(self, q, k, v, mask):
        outs, lses = [], []
        per = self.num_heads // self.num_kv_heads
        for h in range(self.num_heads):
            kh, vh = k[:, h // per].double(), v[:, h // per].double()
            mh = mask[:, h if mask.shape[1] > 1 else 0]
            s = torch.einsum("bld,bsd->bls", q[:, h].double(), kh) / self.head_dim ** 0.5
            if self.softcap > 0:
                s = torch.tanh(s / self.softcap) * self.softcap
            s = torch.where(mh, s, torch.full_like(s, float("-inf")))
            top = s.detach().amax(-1, keepdim=True)
            top = torch.where(torch.isneginf(top), torch.zeros_like(top), top)
            e = torch.exp(s - top)
            z = e.sum(-1, keepdim=True)
            outs.append(torch.einsum("bls,bsd->bld", e, vh) / torch.where(z == 0, 1.0, z))
            lses.append((z.log() + top).squeeze(-1))
        return torch.stack(outs, 1).to(q.dtype), torch.stack(lses, 1).float()
