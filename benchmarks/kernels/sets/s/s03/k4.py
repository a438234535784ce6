import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Two-level scan: short sequential scans inside chunks (all chunks at once), then
    a carry from chunk to chunk. Time is padded to whole chunks."""

    CHUNK = 16

    def __init__(self):
        super().__init__()

    def forward(self, x, log_a, h0):
        B, T, D = x.shape
        C = self.CHUNK
        a = torch.exp(log_a)
        u = torch.sqrt(-torch.expm1(2.0 * log_a)) * x
        pad = -T % C
        if pad:
            a = torch.cat([a, a.new_zeros(B, pad, D)], 1)
            u = torch.cat([u, u.new_zeros(B, pad, D)], 1)
        a = a.reshape(B, -1, C, D)
        u = u.reshape(B, -1, C, D)
        hs, ps = [u[:, :, 0]], [a[:, :, 0]]
        for i in range(1, C):
            hs.append(a[:, :, i] * hs[-1] + u[:, :, i])
            ps.append(a[:, :, i] * ps[-1])
        local = torch.stack(hs, 2)
        decay = torch.stack(ps, 2)
        carry, out = h0, []
        for c in range(a.shape[1]):
            h = local[:, c] + decay[:, c] * carry[:, None]
            carry = h[:, -1]
            out.append(h)
        return torch.cat(out, 1)[:, :T], carry
