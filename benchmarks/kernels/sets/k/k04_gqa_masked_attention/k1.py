import torch
import torch.nn as nn

LOG2E = 1.4426950408889634
LN2 = 0.6931471805599453
BLOCK_M = 16


class ModelNew(nn.Module):
    """Blocks of queries, two passes over the keys, base-2 exponentials."""

    def __init__(self, num_heads, num_kv_heads, head_dim, softcap=0.0):
        super().__init__()
        self.hq, self.hkv, self.d, self.cap = num_heads, num_kv_heads, head_dim, softcap

    def forward(self, q, k, v, mask):
        B, Hq, L, D = q.shape
        g = self.hq // self.hkv
        kt = k.float().transpose(-1, -2).unsqueeze(2)
        vf = v.float().unsqueeze(2)
        out_blocks, lse_blocks = [], []
        full_mask = mask.expand(B, Hq, L, k.shape[2])
        for lo in range(0, L, BLOCK_M):
            qb = q[:, :, lo:lo + BLOCK_M]
            rows = qb.shape[2]
            qb = qb.reshape(B, self.hkv, g, rows, D).float()
            mb = full_mask[:, :, lo:lo + BLOCK_M].reshape(B, self.hkv, g, rows, -1)
            s = torch.matmul(qb, kt)
            if self.cap > 0:
                s = torch.tanh(s * (self.d ** -0.5 / self.cap)) * (self.cap * LOG2E)
            else:
                s = s * (self.d ** -0.5 * LOG2E)
            s = s.masked_fill(mb.logical_not(), float("-inf"))
            m = s.detach().max(dim=-1, keepdim=True).values
            m = m.nan_to_num(neginf=0.0)
            p = torch.exp2(s - m)
            z = p.sum(-1, keepdim=True)
            o = torch.matmul(p / z.clamp_min(1e-30), vf)
            out_blocks.append(o.reshape(B, Hq, rows, -1).to(q.dtype))
            lse_blocks.append(((torch.log2(z) + m) * LN2).reshape(B, Hq, rows))
        return torch.cat(out_blocks, 2), torch.cat(lse_blocks, 2)
