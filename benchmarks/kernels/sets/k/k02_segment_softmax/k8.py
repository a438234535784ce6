import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Groups the rows by a stable sort, then handles one segment at a time."""

    def __init__(self, num_segments):
        super().__init__()
        self.num_segments = num_segments

    def forward(self, values, index):
        order = torch.argsort(index, stable=True)
        counts = torch.bincount(index, minlength=self.num_segments).tolist()
        rows = values.index_select(0, order)
        weights, lse = [], []
        for chunk in torch.split(rows, counts, dim=0):
            if chunk.shape[0] == 0:
                lse.append(values.new_full((values.shape[1],), float("-inf")))
                continue
            m = chunk.detach().amax(dim=0)
            m = m.masked_fill(m == float("-inf"), 0.0)
            e = (chunk - m).exp()
            s = e.sum(dim=0)
            weights.append(e / torch.where(s == 0, torch.ones_like(s), s))
            lse.append(s.log() + m)
        w = torch.cat(weights, dim=0) if weights else rows
        inverse = torch.empty_like(order)
        inverse[order] = torch.arange(order.numel(), device=order.device)
        return w.index_select(0, inverse), torch.stack(lse, dim=0)
