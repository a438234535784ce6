import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Keeps a list of past chunks and the stream position at which each row began;
    whole chunks that fell out of every window are dropped from the list."""

    def __init__(self, batch, n_q_heads, n_kv_heads, head_dim, window, softcap):
        super().__init__()
        self.rep = n_q_heads // n_kv_heads
        self.window = window
        self.softcap = softcap
        self.scale = head_dim ** -0.5
        self.chunks = []
        self.seen = 0
        self.register_buffer("began", torch.zeros(batch, dtype=torch.int64), persistent=False)

    @torch.no_grad()
    def forward(self, q, k, v, reset):
        B, H, T, D = q.shape
        self.began = torch.where(reset, torch.full_like(self.began, self.seen), self.began)
        self.chunks.append((self.seen, k.double().clone(), v.double().clone()))
        while self.chunks[0][0] + self.chunks[0][1].shape[2] <= self.seen - self.window + 1:
            self.chunks.pop(0)
        base = self.chunks[0][0]
        kk = torch.cat([c[1] for c in self.chunks], 2)
        vv = torch.cat([c[2] for c in self.chunks], 2)
        key_at = torch.arange(base, base + kk.shape[2], device=q.device)
        out = []
        for t in range(T):
            now = self.seen + t
            ok = (key_at <= now) & (key_at > now - self.window) & (key_at >= self.began[:, None])
            s = torch.einsum("bgrd,bgjd->bgrj", q[:, :, t].double().reshape(B, -1, self.rep, D), kk)
            s = self.softcap * torch.tanh(s * self.scale / self.softcap)
            s = s.masked_fill(~ok[:, None, None], float("-inf"))
            o = torch.einsum("bgrj,bgjd->bgrd", torch.softmax(s, -1), vv)
            out.append(o.reshape(B, H, D))
        self.seen += T
        return torch.stack(out, 2).to(q.dtype)
