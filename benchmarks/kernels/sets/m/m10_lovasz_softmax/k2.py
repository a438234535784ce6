import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, ignore_index: int = 255):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, labels):
        C = logits.shape[1]
        keep = (labels != self.ignore_index).flatten().nonzero().squeeze(1)
        if keep.numel() == 0:
            return 0.0 * logits.sum()
        p = logits.permute(0, 2, 3, 1).flatten(0, 2).index_select(0, keep).softmax(-1)
        t = labels.flatten().index_select(0, keep)
        total, present = 0.0, 0
        for c in torch.unique(t).tolist():
            fg = t == c
            e, order = torch.sort((fg.to(p.dtype) - p[:, c]).abs(), descending=True)
            fg = fg[order].long()
            n = fg.sum()
            hits = torch.cumsum(fg, 0)
            i = torch.arange(1, e.numel() + 1, device=e.device)
            jac = 1.0 - (n - hits).to(torch.float64) / (n + i - hits)
            # summation by parts: sum_i J_i (e_i - e_{i+1})
            drop = torch.cat([e[:-1] - e[1:], e[-1:]])
            total = total + (jac.to(e.dtype) * drop).sum()
            present += 1
        return total / present
