import torch
import torch.nn as nn

BLOCK_C = 16


class ModelNew(nn.Module):
    """Streams blocks of classes with a running maximum, then once more for the smooth part."""

    def __init__(self, num_classes, label_smoothing=0.1, ignore_index=-100):
        super().__init__()
        self.eps, self.ignore = label_smoothing, ignore_index
        self.register_buffer("class_weight", torch.ones(num_classes, dtype=torch.float64))

    def forward(self, logits, target):
        C = logits.shape[1]
        w = self.class_weight.to(logits.dtype)
        z = logits.movedim(1, -1).reshape(-1, C)
        y = target.reshape(-1)
        m = z.new_full((z.shape[0],), float("-inf"))
        s = torch.zeros_like(m)
        for lo in range(0, C, BLOCK_C):
            blk = z[:, lo:lo + BLOCK_C]
            new = torch.maximum(m, blk.detach().amax(1))
            safe = new.masked_fill(torch.isneginf(new), 0.0)
            s = s * torch.exp(m - safe) + torch.exp(blk - safe[:, None]).sum(1)
            m = new
        log_s = torch.log(s)
        valid = y != self.ignore
        yc = y.masked_fill(~valid, 0)
        wy = w[yc].masked_fill(~valid, 0.0)
        nll = (log_s + (m - z.gather(1, yc[:, None]).squeeze(1))).masked_fill(~valid, 0.0)
        loss = (1.0 - self.eps) * (nll * wy).sum()
        if self.eps > 0:
            smooth = torch.zeros_like(m)
            for lo in range(0, C, BLOCK_C):
                gap = log_s[:, None] + (m[:, None] - z[:, lo:lo + BLOCK_C])
                smooth = smooth + (gap * w[lo:lo + BLOCK_C]).sum(1)
            loss = loss + self.eps / C * smooth.masked_fill(~valid, 0.0).sum()
        return loss / wy.sum()
