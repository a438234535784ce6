import torch


def custom_kernel(data):
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv = k_cache.shape[1], k_cache.shape[2]
    T = table.shape[1] * block
    idx = table.clamp(min=0).long()
    dead = torch.arange(T)[None, :] >= lens[:, None]  # (batch, T)
    k = k_cache[idx].float() * k_scale[idx].float()[..., None]
    v = v_cache[idx].float() * v_scale[idx].float()[..., None]
    k = k.view(batch, T, kv, dim).transpose(1, 2)
    v = v.view(batch, T, kv, dim).transpose(1, 2).masked_fill(dead[:, None, :, None], 0.0)
    s = torch.matmul(q.float().view(batch, kv, heads // kv, dim), k.transpose(-1, -2)) / dim**0.5
    s = s.masked_fill(dead[:, None, None, :], torch.finfo(torch.float32).min)
    # without a live token all scores are equal; v is 0 there
    p = torch.exp(s - torch.logsumexp(s.masked_fill(dead[:, None, None, :], float("-inf")), dim=-1, keepdim=True))
    return torch.matmul(p, v).reshape(batch, heads, dim).to(torch.float16)
