import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Probabilities of a sampler: temperature, then top-k, then top-p (nucleus) among the kept tokens, renormalised.

    Tokens are ranked by logit, ties by the lower index first. Top-k keeps exactly min(top_k, vocab) tokens
    (0 switches it off). Top-p keeps the shortest ranked prefix whose mass reaches top_p, at least one token:
    a token stays when the mass ranked before it is less than top_p. Inference only.
    """

    def __init__(self, temperature: float, top_k: int, top_p: float):
        super(Model, self).__init__()
        self.temperature = temperature
        self.top_k = top_k
        self.top_p = top_p

    @torch.no_grad()
    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        """
        Args:
            logits (torch.Tensor): (batch, vocab) float32, vocab >= 1; entries may be -inf (banned tokens), not all of a row.
        Returns:
            torch.Tensor: (batch, vocab) float32, zero for the tokens left out.
        """
        vocab = logits.shape[-1]
        ranked, order = torch.sort(logits, dim=-1, descending=True, stable=True)
        k = min(self.top_k, vocab) if self.top_k > 0 else vocab
        # the boundary of the nucleus is settled in double precision
        p = torch.softmax(ranked[:, :k].double() / self.temperature, dim=-1)
        before = torch.cumsum(p, dim=-1) - p
        p = torch.where(before < self.top_p, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
        return torch.zeros_like(logits).scatter(1, order[:, :k], p.to(logits.dtype))


batch_size = 8
vocab_size = 1000
temperature = 0.7
top_k = 50
top_p = 0.9


def get_inputs():
    return [2.0 * torch.randn(batch_size, vocab_size)]


def get_init_inputs():
    return [temperature, top_k, top_p]
