import torch


def custom_kernel(data):
    """All sequences side by side on the padded table; dead places are replaced, not multiplied."""
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv = k_cache.shape[1], k_cache.shape[2]
    T = table.shape[1] * block
    idx = table.clamp(min=0).long()
    live = torch.arange(T)[None, :] < lens[:, None]  # (batch, T)
    ks = k_scale[idx].float().view(batch, T, kv).masked_fill(~live[..., None], 0.0)
    vs = v_scale[idx].float().view(batch, T, kv).masked_fill(~live[..., None], 0.0)
    k = k_cache[idx].view(batch, T, kv, dim) * ks[..., None]
    v = v_cache[idx].view(batch, T, kv, dim) * vs[..., None]
    qg = q.float().view(batch, kv, heads // kv, dim)
    s = torch.matmul(qg, k.permute(0, 2, 3, 1)) * (dim**-0.5)  # (b, g, r, T)
    gone = ~live[:, None, None, :]
    s = s.masked_fill(gone, float("-inf"))
    m = s.amax(dim=-1, keepdim=True)
    m = torch.where(m == float("-inf"), torch.zeros_like(m), m)
    p = torch.exp(s - m)
    den = p.sum(dim=-1, keepdim=True)
    o = torch.matmul(p, v.permute(0, 2, 1, 3))
    o = torch.where(den > 0, o / den, torch.zeros_like(o))
    return o.reshape(batch, heads, dim).to(torch.float16)
