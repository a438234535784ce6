import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        # sort-free: the number of foreground / background pixels ranked before a pixel is
        # counted directly, in blocks of rows of the comparison matrix
        C = logits.shape[1]
        flat = logits.movedim(1, -1).reshape(-1, C)
        t = labels.reshape(-1)
        ok = t != self.ignore_index
        flat, t = flat[ok], t[ok]
        if t.numel() == 0:
            return logits.sum() * 0.0
        p = torch.softmax(flat, -1)
        P = t.numel()
        idx = torch.arange(P, device=t.device)
        losses = []
        for c in range(C):
            fg = t == c
            n = int(fg.sum())
            if n == 0:
                continue
            e = torch.where(fg, 1.0 - p[:, c], p[:, c])
            w = []
            for s in range(0, P, 256):
                ee = e.detach()
                mine = ee[s:s + 256, None]
                before = (ee > mine) | ((ee == mine) & (idx < idx[s:s + 256, None]))
                hits = (before & fg).sum(1)
                miss = before.sum(1) - hits
                f = fg[s:s + 256].long()
                # jaccard after the pixel minus jaccard before it
                a = (n - hits).double() / (n + miss)
                b = (n - hits - f).double() / (n + miss + (1 - f))
                w.append(a - b)
            losses.append((e * torch.cat(w).to(e.dtype)).sum())
        return sum(losses) / len(losses)
