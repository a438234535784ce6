import torch


def custom_kernel(data):
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv = k_cache.shape[1], k_cache.shape[2]
    rep = heads // kv
    out = torch.empty(batch, heads, dim, dtype=q.dtype)
    for b in range(batch):
        n = int(lens[b])
        qb = q[b].to(torch.float32).view(kv, rep, dim)
        m = torch.full((kv, rep, 1), float("-inf"))
        l = torch.zeros(kv, rep, 1)
        acc = torch.zeros(kv, rep, dim)
        i = 0
        while i * block < n:
            blk = int(table[b, i])
            c = min(block, n - i * block)
            k = k_cache[blk, :c].to(torch.float32).permute(1, 2, 0)  # (kv, dim, c)
            ks = k_scale[blk, :c].to(torch.float32).t()[:, None, :]  # (kv, 1, c)
            s = torch.bmm(qb, k) * (ks * dim**-0.5)
            m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
            corr = torch.exp(m - m_new)
            p = torch.exp(s - m_new)
            l = l * corr + p.sum(dim=-1, keepdim=True)
            v = v_cache[blk, :c].to(torch.float32) * v_scale[blk, :c].to(torch.float32)[..., None]
            acc = acc * corr + torch.bmm(p, v.transpose(0, 1))
            m = m_new
            i += 1
        out[b] = (acc / l.clamp(min=1e-30)).view(heads, dim).to(q.dtype)
    return out
