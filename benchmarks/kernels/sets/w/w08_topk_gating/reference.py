"""Top-k gating of a mixture-of-experts layer with a selection bias (loss-free balancing).

logits: (..., E), float32, any leading shape and strides.  For each token the k experts with the largest
logits + select_bias (one float32 addition) are chosen; among equal scores the expert
with the lower index goes first.  The gate weights are the softmax of the plain logits (without
the bias) over the chosen experts; every other expert gets 0.  The result is dense, of the shape of logits.

select_bias is a buffer that the trainer changes between calls (it starts at zero and may reach
values of several tens).  Logits may be of any size up to 1e4, ties are common (quantised routers), and an expert that is
not available has logit -inf; at least k are finite.  The gradient with respect to logits is needed.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, num_experts, k):
        super().__init__()
        self.k = k
        self.register_buffer("select_bias", torch.zeros(num_experts))

    def forward(self, logits):
        score = (logits + self.select_bias).detach()
        idx = torch.sort(score, dim=-1, descending=True, stable=True).indices[..., : self.k]
        w = torch.softmax(logits.gather(-1, idx), dim=-1)
        return torch.zeros_like(logits).scatter(-1, idx, w)


def get_inputs():
    return [torch.randn(64, 16)]


def get_init_inputs():
    return [16, 4]
