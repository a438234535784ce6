import torch

_Q = 4096


def _dist(rows, vocab, g):
    w = torch.rand(rows, vocab, generator=g) ** 2 + 0.05
    ids = torch.multinomial(w, _Q, replacement=True, generator=g)
    cnt = torch.zeros(rows, vocab).scatter_add_(1, ids, torch.ones(rows, _Q))
    return cnt / _Q


def generate_input(batch, k, vocab, seed):
    g = torch.Generator().manual_seed(seed)
    p_draft = _dist(batch * k, vocab, g).reshape(batch, k, vocab)
    p_target = _dist(batch * (k + 1), vocab, g).reshape(batch, k + 1, vocab)
    draft = torch.multinomial(p_draft.reshape(-1, vocab), 1, generator=g).reshape(batch, k)
    u_accept = torch.randint(1, _Q, (batch, k), generator=g).float() / _Q
    u_sample = torch.randint(1, _Q, (batch,), generator=g).float() / _Q
    return draft, p_draft, p_target, u_accept, u_sample


def ref_kernel(data):
    draft, p_draft, p_target, u_accept, u_sample = data
    B, K = draft.shape
    out = torch.full((B, K + 1), -1, dtype=torch.int64)
    for b in range(B):
        n = 0
        while n < K:
            t = int(draft[b, n])
            if not bool(u_accept[b, n] * p_draft[b, n, t] < p_target[b, n, t]):
                break
            out[b, n] = t
            n += 1
        r = p_target[b, n]
        if n < K:
            res = (r - p_draft[b, n]).clamp(min=0)
            if bool(res.sum() > 0):
                r = res
        c = torch.cumsum(r.double(), 0)
        out[b, n] = int((c > u_sample[b].double() * c[-1]).nonzero()[0])
    return out
