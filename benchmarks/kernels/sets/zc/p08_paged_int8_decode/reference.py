import torch


def generate_input(
    batch: int, heads: int, kv_heads: int, dim: int, block: int, max_blocks: int, q_scale: float, empty: bool, poison: bool, seed: int
):
    gen = torch.Generator().manual_seed(seed)
    n_blocks = batch * max_blocks + 3
    q = (torch.randn(batch, heads, dim, generator=gen) * q_scale).to(torch.float16)
    shape = (n_blocks, block, kv_heads)
    k_cache = torch.randint(-127, 128, shape + (dim,), generator=gen).to(torch.int8)
    v_cache = torch.randint(-127, 128, shape + (dim,), generator=gen).to(torch.int8)
    k_scale = (torch.rand(shape, generator=gen) * 0.02 + 0.002).to(torch.float16)
    v_scale = (torch.rand(shape, generator=gen) * 0.02 + 0.002).to(torch.float16)
    lens = torch.randint(1, max_blocks * block + 1, (batch,), generator=gen).to(torch.int32)
    if empty:
        lens[0] = 0
    free = torch.randperm(n_blocks, generator=gen)
    table = torch.full((batch, max_blocks), -1, dtype=torch.int32)
    used = torch.zeros(n_blocks, block, dtype=torch.bool)
    for b in range(batch):
        n = int(lens[b])
        for i in range((n + block - 1) // block):
            blk = int(free[b * max_blocks + i])
            table[b, i] = blk
            used[blk, : min(block, n - i * block)] = True
    if poison:
        k_scale[~used] = float("nan")
        v_scale[~used] = float("nan")
    return q, k_cache, v_cache, k_scale, v_scale, table, lens


def ref_kernel(data):
    q, k_cache, v_cache, k_scale, v_scale, table, lens = data
    batch, heads, dim = q.shape
    block, kv_heads = k_cache.shape[1], k_cache.shape[2]
    rep = heads // kv_heads
    out = torch.zeros(batch, heads, dim, dtype=torch.float16)
    for b in range(batch):
        n = int(lens[b])
        if n == 0:
            continue
        blocks = table[b, : (n + block - 1) // block].long()
        k = (k_cache[blocks].float() * k_scale[blocks].float()[..., None]).flatten(0, 1)[:n]
        v = (v_cache[blocks].float() * v_scale[blocks].float()[..., None]).flatten(0, 1)[:n]
        k = k.repeat_interleave(rep, dim=1)  # (n, heads, dim)
        v = v.repeat_interleave(rep, dim=1)
        s = torch.einsum("hd,nhd->hn", q[b].float(), k) * dim**-0.5
        p = torch.softmax(s, dim=-1)
        out[b] = torch.einsum("hn,nhd->hd", p, v).to(torch.float16)
    return out
