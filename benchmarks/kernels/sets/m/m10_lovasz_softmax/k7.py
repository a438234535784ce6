import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    BINS = 512

    def forward(self, logits, labels):
        # Counting sort of the errors into bins instead of a full sort; inside a bin the
        # Jaccard increment is shared evenly by foreground and background pixels.
        C = logits.shape[1]
        p = torch.softmax(logits, dim=1).movedim(1, -1).reshape(-1, C)
        t = labels.reshape(-1)
        keep = t != self.ignore_index
        p, t = p[keep], t[keep]
        if t.numel() == 0:
            return logits.sum() * 0.0
        N = self.BINS
        losses = []
        for c in range(C):
            fg = (t == c).to(p.dtype)
            n = fg.sum()
            if n == 0:
                continue
            err = (fg - p[:, c]).abs()
            b = N - 1 - (err.detach() * N).long().clamp(0, N - 1)
            cnt_f = torch.zeros(N, dtype=p.dtype, device=p.device).index_add(0, b, fg)
            cnt = torch.zeros(N, dtype=p.dtype, device=p.device).index_add(0, b, torch.ones_like(fg))
            hit, seen = cnt_f.cumsum(0), cnt.cumsum(0)
            jac = 1.0 - (n - hit) / (n + seen - hit)
            inc = torch.diff(jac, prepend=jac.new_zeros(1))
            share = inc / cnt.clamp(min=1)
            losses.append((err * share[b]).sum())
        return torch.stack(losses).mean()
