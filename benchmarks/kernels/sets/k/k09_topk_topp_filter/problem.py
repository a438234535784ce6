import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Sampling helper: temperature, then top-k (0 = off; values equal to the k-th are all kept), then
    top-p on the renormalised probabilities (1.0 = off). Top-p walks the tokens in descending order,
    equal values in order of index, and keeps a token while the mass before it is below p; at least
    `min_keep` tokens stay. Logits are numbers or -inf, temperatures positive. Returns the filtered logits (-inf = removed) and how many are finite.
    """

    def __init__(self, min_keep: int = 1):
        super(Model, self).__init__()
        self.min_keep = min_keep

    @torch.no_grad()
    def forward(self, logits: torch.Tensor, temperature: torch.Tensor, top_k: torch.Tensor,
                top_p: torch.Tensor):
        x = logits / temperature.unsqueeze(1)
        vocab = x.size(1)
        vals, order = torch.sort(x, dim=1, descending=True, stable=True)
        k = torch.where(top_k <= 0, torch.full_like(top_k, vocab), top_k.clamp(max=vocab))
        k = k.clamp(min=min(self.min_keep, vocab))
        kth = vals.gather(1, (k - 1).unsqueeze(1))
        vals = vals.masked_fill(vals < kth, float("-inf"))
        probs = torch.softmax(vals.double(), dim=1)
        before = probs.cumsum(dim=1) - probs
        p = top_p.double().unsqueeze(1)
        keep = (before < p) | (p >= 1.0)
        keep[:, :self.min_keep] = True
        vals = vals.masked_fill(~keep, float("-inf"))
        out = torch.empty_like(x).scatter(1, order, vals)
        return out, (out > float("-inf")).sum(dim=1)


batch_size = 16
vocab_size = 1000


def get_inputs():
    logits = torch.randn(batch_size, vocab_size) * 3
    temperature = torch.rand(batch_size) * 0.8 + 0.6
    top_k = torch.randint(20, 100, (batch_size,))
    top_p = torch.rand(batch_size) * 0.3 + 0.65
    return [logits, temperature, top_k, top_p]


def get_init_inputs():
    return []
