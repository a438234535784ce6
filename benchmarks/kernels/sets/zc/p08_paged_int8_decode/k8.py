import torch


def custom_kernel(data):
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    n_blocks, block, kv = k_scale.shape
    rep = heads // kv
    out = torch.zeros(batch, heads, dim, dtype=torch.float16)
    kf = k_cache.reshape(n_blocks * block, kv, dim)
    vf = v_cache.reshape(n_blocks * block, kv, dim)
    ksf, vsf = k_scale.reshape(-1, kv), v_scale.reshape(-1, kv)
    for b in range(batch):
        n = int(lens[b])
        if n < 1:
            continue
        t = torch.arange(n)
        place = table[b].to(torch.int64)[t // block] * block + t % block
        ks, vs = ksf[place].float(), vsf[place].float()  # (n, kv)
        for g in range(kv):
            qg = q[b, g * rep : (g + 1) * rep].float()
            s = (qg @ kf[place, g].float().t()) * (ks[:, g] * (dim**-0.5))  # (rep, n)
            s = s - s.max(dim=1, keepdim=True).values
            e = torch.exp2(s * 1.4426950408889634)
            o = (e * vs[:, g]) @ vf[place, g].float() / e.sum(dim=1, keepdim=True)
            out[b, g * rep : (g + 1) * rep] = o.half()
    return out
