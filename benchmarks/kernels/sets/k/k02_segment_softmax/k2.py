import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """CSR style: segment s owns rows offsets[s]:offsets[s+1]."""

    def __init__(self, num_segments):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, index):
        counts = torch.bincount(index, minlength=self.num_segments)
        offsets = [0] + torch.cumsum(counts, 0).tolist()
        parts, lse = [], []
        for s in range(self.num_segments):
            block = values[offsets[s]:offsets[s + 1]]
            if block.shape[0] == 0:
                lse.append(values.new_full((values.shape[1],), float("-inf")))
                continue
            m = block.detach().max(dim=0).values
            m = torch.where(torch.isneginf(m), torch.zeros_like(m), m)
            e = torch.exp(block - m)
            tot = e.sum(0)
            parts.append(e / tot.masked_fill(tot == 0, 1.0))
            lse.append(torch.log(tot) + m)
        return torch.cat(parts, 0), torch.stack(lse, 0)
