import torch


def generate_input(batch, k, vocab, ragged=0, sparse=0, closeness=1.0, seed=0):
    g = torch.Generator().manual_seed(seed)
    tl = torch.randn(batch, k + 1, vocab, generator=g) * 2.0
    dl = tl[:, :k] + closeness * torch.randn(batch, k, vocab, generator=g)
    if sparse:
        tl = tl.masked_fill(tl < tl.median(-1, keepdim=True).values, float("-inf"))
    target = torch.softmax(tl, -1)
    draft = torch.softmax(dl, -1)
    tokens = torch.multinomial(draft.reshape(batch * k, vocab), 1, generator=g).reshape(batch, k)
    if ragged:
        num = torch.randint(0, k + 1, (batch,), generator=g)
    else:
        num = torch.full((batch,), k)
    u = torch.rand(batch, k, generator=g)
    noise = torch.empty(batch, vocab).exponential_(generator=g).clamp_min(1e-9)
    pos = torch.arange(k)[None]
    tokens = torch.where(pos < num[:, None], tokens, torch.full_like(tokens, -1))
    return tokens, num, draft.contiguous(), target.contiguous(), u, noise


def ref_kernel(data):
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    dev = tokens.device
    pos = torch.arange(K, device=dev)[None]
    valid = pos < num[:, None]
    t = tokens.clamp_min(0).unsqueeze(-1)
    p = target[:, :K].gather(2, t).squeeze(-1)
    q = draft.gather(2, t).squeeze(-1)
    ok = (u * q < p) & valid
    n = ok.long().cumprod(1).sum(1)
    rows = torch.arange(B, device=dev)
    p_n = target[rows, n]
    q_n = draft[rows, n.clamp_max(K - 1)]
    res = (p_n - q_n).clamp_min(0)
    s = res.sum(-1, keepdim=True)
    use_res = (n < num)[:, None] & (s > 0)
    dist = torch.where(use_res, res / torch.where(s > 0, s, torch.ones_like(s)), p_n)
    nxt = (dist / noise).argmax(-1)
    out = torch.full((B, K + 1), -1, dtype=torch.long, device=dev)
    out[:, :K] = torch.where(pos < n[:, None], tokens, out[:, :K])
    out[rows, n] = nxt
    return n.to(torch.int32), out, dist
