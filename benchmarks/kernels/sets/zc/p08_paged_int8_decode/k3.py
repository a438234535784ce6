import torch


def custom_kernel(data):
    """The whole table at once, all sequences side by side, padding masked by arithmetic."""
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv = k_cache.shape[1], k_cache.shape[2]
    T = table.shape[1] * block
    idx = table.clamp(min=0).long()
    k = (k_cache[idx].float() * k_scale[idx].float()[..., None]).view(batch, T, kv, dim)
    v = (v_cache[idx].float() * v_scale[idx].float()[..., None]).view(batch, T, kv, dim)
    qg = q.float().view(batch, kv, heads // kv, dim) * dim**-0.5
    live = (torch.arange(T)[None, :] < lens[:, None]).float()[:, None, None, :]
    s = torch.einsum("bgrd,btgd->bgrt", qg, k)
    s = s * live + (1.0 - live) * -1e30
    m = s.amax(dim=-1, keepdim=True)
    p = torch.exp(s - m) * live
    den = p.sum(dim=-1, keepdim=True).clamp(min=1e-30)
    o = torch.einsum("bgrt,btgd->bgrd", p / den, v)
    return o.reshape(batch, heads, dim).to(torch.float16)
