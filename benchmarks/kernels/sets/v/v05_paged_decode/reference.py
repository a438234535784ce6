import torch


def generate_input(batch: int, q_heads: int, kv_heads: int, dim: int, page: int, min_len: int, max_len: int,
                   window: int, tilt: float, dirty: bool, dtype: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    lens = torch.randint(min_len, max_len + 1, (batch,), generator=gen, dtype=torch.int64).to(torch.int32)
    lens[0] = max_len
    width = (max_len + page - 1) // page + 1
    total = batch * width + 2
    perm = torch.randperm(total, generator=gen).to(torch.int32)
    table = torch.full((batch, width), -1, dtype=torch.int32)
    fill = float("nan") if dirty else 0.0
    kc = torch.full((total, page, kv_heads, dim), fill)
    vc = torch.full((total, page, kv_heads, dim), fill)
    nxt = 0
    for b in range(batch):
        n = int(lens[b])
        for p in range((n + page - 1) // page):
            blk = int(perm[nxt])
            nxt += 1
            table[b, p] = blk
            used = min(page, n - p * page)
            kc[blk, :used] = torch.randn(used, kv_heads, dim, generator=gen) + tilt
            vc[blk, :used] = torch.randn(used, kv_heads, dim, generator=gen)
    q = torch.randn(batch, q_heads, dim, generator=gen)
    if tilt != 0:
        q = q.abs()
    dt = getattr(torch, dtype)
    return q.to(dt), kc.to(dt), vc.to(dt), table, lens, window


def ref_kernel(data):
    q, kc, vc, table, lens, window = data
    B, HQ, D = q.shape
    page, HK = kc.shape[1], kc.shape[2]
    out = torch.zeros(B, HQ, D, dtype=torch.float64)
    for b in range(B):
        n = int(lens[b])
        if n == 0:
            continue
        t = torch.arange(max(0, n - window) if window > 0 else 0, n)
        blk = table[b, t // page].long()
        k = kc[blk, t % page].double().repeat_interleave(HQ // HK, 1)
        v = vc[blk, t % page].double().repeat_interleave(HQ // HK, 1)
        s = torch.einsum("hd,thd->ht", q[b].double(), k) / D ** 0.5
        out[b] = torch.einsum("ht,thd->hd", torch.softmax(s, 1), v)
    return out.to(q.dtype)
