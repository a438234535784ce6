import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_heads, num_kv_heads, head_dim, window=0):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(num_heads))

    def forward(self, q, k, v, cu_seqlens):
        # pad every sequence to the longest one and prepend a zero-valued "sink" key
        lens = (cu_seqlens[1:] - cu_seqlens[:-1]).tolist()
        B, N = len(lens), max(lens)
        H, G, D = self.num_heads, self.num_kv_heads, self.head_dim
        qp, kp, vp = q.new_zeros(B, N, H, D), k.new_zeros(B, N, G, D), v.new_zeros(B, N, G, D)
        start = cu_seqlens.tolist()
        for b, n in enumerate(lens):
            qp[b, :n], kp[b, :n], vp[b, :n] = (t[start[b]:start[b] + n] for t in (q, k, v))
        s = torch.einsum("bigrd,bjgd->bgrij", qp.reshape(B, N, G, H // G, D), kp) / D ** 0.5
        i = torch.arange(N)
        seen = i[None, :] <= i[:, None]
        if self.window > 0:
            seen = seen & (i[:, None] - i[None, :] < self.window)
        s = torch.where(seen, s, torch.full((), float("-inf")))
        sk = self.sinks.detach().view(1, G, H // G, 1, 1).expand(B, -1, -1, N, 1)
        s = torch.cat([sk, s], -1)
        vz = torch.cat([vp.new_zeros(B, 1, G, D), vp], 1)
        o = torch.einsum("bgrij,bjgd->bigrd", torch.softmax(s, -1), vz).reshape(B, N, H, D)
        return torch.cat([o[b, :n] for b, n in enumerate(lens)], 0)
