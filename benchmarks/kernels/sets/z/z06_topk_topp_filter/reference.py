import torch


def generate_input(batch: int, vocab: int, top_k: int, top_p: float, temperature: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    logits = torch.randn(batch, vocab, generator=gen) * 2.0
    return (logits,
            torch.full((batch,), top_k, dtype=torch.int64),
            torch.full((batch,), top_p, dtype=torch.float32),
            torch.full((batch,), temperature, dtype=torch.float32))


def ref_kernel(data):
    """Top-k then top-p (nucleus) filter for sampling; returns the renormalised probabilities.

    data = (logits, top_k, top_p, temperature), B >= 1, V >= 1
      logits       float32 [B, V]; values are finite or -inf (a forbidden token, probability 0), at
                   least one finite value per row; equal values are allowed; any strides
      top_k        int64 [B], one per row: 0 means "no top-k"; may exceed V
      top_p        float32 [B], one per row, 0 <= p <= 1; 1 means "no top-p"
      temperature  float32 [B], one per row, > 0
    Per row: x = logits / temperature. Tokens are ranked by x descending, equal values by lower index
    first. Keep the first top_k of them (exactly that many, also at ties). Softmax over the kept ones.
    Then walk the kept ones in rank order and keep a token while the probability mass strictly BEFORE
    it is < top_p; the first one is always kept. Renormalise to sum 1; all others get exactly 0.
    Rows in which some partial sum comes within 1e-5 of top_p (< 1) are not tested, and neither are
    rows in which dividing by the temperature makes unequal logits equal.
    Result: float32 [B, V], contiguous, new memory. No input may be changed.
    """
    logits, top_k, top_p, temperature = data
    B, V = logits.shape
    x = logits.double() / temperature.double()[:, None]
    order = torch.sort(x, dim=1, descending=True, stable=True).indices
    xs = x.gather(1, order)
    rank = torch.arange(V)[None, :]
    k = torch.where(top_k == 0, torch.full_like(top_k, V), top_k)[:, None]
    xs = torch.where(rank < k, xs, torch.full_like(xs, float("-inf")))
    p = torch.softmax(xs, dim=1)
    before = torch.cumsum(p, dim=1) - p
    keep = (before < top_p.double()[:, None]) | (top_p[:, None] >= 1) | (rank == 0)
    p = torch.where(keep, p, torch.zeros_like(p))
    p = p / p.sum(dim=1, keepdim=True)
    return torch.zeros_like(x).scatter_(1, order, p).float()
