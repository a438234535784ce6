import torch


def generate_input(batch, heads, kv_heads, dim, block_size, max_blocks, seed):
    g = torch.Generator().manual_seed(seed)
    nb = batch * max_blocks + 3
    q = torch.randn(batch, heads, dim, generator=g)
    k_cache = torch.randn(nb, block_size, kv_heads, dim, generator=g)
    v_cache = torch.randn(nb, block_size, kv_heads, dim, generator=g)
    seq_lens = torch.randint(1, max_blocks * block_size + 1, (batch,), generator=g).to(torch.int32)
    table = torch.randperm(nb, generator=g)[: batch * max_blocks].reshape(batch, max_blocks).to(torch.int32)
    for b in range(batch):
        used = (int(seq_lens[b]) + block_size - 1) // block_size
        table[b, used:] = -1
    return q, k_cache, v_cache, table, seq_lens, float(dim) ** -0.5


def ref_kernel(data):
    q, k_cache, v_cache, block_table, seq_lens, scale = data
    B, H, D = q.shape
    bs, hkv = k_cache.shape[1], k_cache.shape[2]
    group = H // hkv
    out = torch.zeros_like(q)
    for b in range(B):
        n = int(seq_lens[b])
        if n == 0:
            continue
        blocks = block_table[b, : (n + bs - 1) // bs].long()
        k = k_cache[blocks].reshape(-1, hkv, D)[:n].repeat_interleave(group, dim=1)
        v = v_cache[blocks].reshape(-1, hkv, D)[:n].repeat_interleave(group, dim=1)
        s = torch.einsum("hd,thd->ht", q[b], k) * scale
        out[b] = torch.einsum("ht,thd->hd", torch.softmax(s, dim=-1), v)
    return out
