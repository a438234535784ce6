import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, classes, ignore_index=-100, smoothing=0.1):
        super().__init__()
        self.classes = classes
        self.ignore_index = ignore_index
        self.smoothing = smoothing
        self.register_buffer("class_weight", torch.linspace(0.5, 2.0, classes))

    def forward(self, logits, target):
        c = logits.shape[1]
        keep = (target != self.ignore_index).unsqueeze(1)
        classes = torch.arange(c).unsqueeze(0)
        hot = (classes == target.unsqueeze(1)) & keep
        base = keep.to(logits.dtype) * (self.smoothing / c)
        q = base + hot.to(logits.dtype) * (1.0 - self.smoothing)
        z = logits - logits.detach().amax(dim=1, keepdim=True)
        logp = z - torch.log(torch.exp(z).sum(dim=1, keepdim=True))
        top = -(q * self.class_weight * logp).double().sum()
        bottom = (hot * self.class_weight).double().sum()
        return (top / bottom).to(logits.dtype)
