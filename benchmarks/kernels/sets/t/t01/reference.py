import torch


def generate_input(batch, heads, kv_heads, dim, page, max_len, seed, window=0, softcap=0.0):
    g = torch.Generator().manual_seed(seed)
    lens = torch.randint(1, max_len + 1, (batch,), generator=g, dtype=torch.int32)
    lens[0] = max_len
    max_blocks = (max_len + page - 1) // page
    pages = batch * max_blocks
    q = torch.randn(batch, heads, dim, generator=g)
    k_cache = torch.randn(pages, page, kv_heads, dim, generator=g)
    v_cache = torch.randn(pages, page, kv_heads, dim, generator=g)
    perm = torch.randperm(pages, generator=g).to(torch.int32)
    block_table = perm.view(batch, max_blocks).contiguous()
    return q, k_cache, v_cache, block_table, lens, window, softcap


def ref_kernel(data):
    q, k_cache, v_cache, block_table, seq_lens, window, softcap = data
    B, H, D = q.shape
    page, Hkv = k_cache.shape[1], k_cache.shape[2]
    out = torch.zeros_like(q)
    for b in range(B):
        n = int(seq_lens[b])
        if n == 0:
            continue
        ids = block_table[b, : (n + page - 1) // page].long()
        k = k_cache[ids].reshape(-1, Hkv, D)[:n]
        v = v_cache[ids].reshape(-1, Hkv, D)[:n]
        if window > 0:
            k, v = k[max(0, n - window):], v[max(0, n - window):]
        k = k.repeat_interleave(H // Hkv, dim=1)
        v = v.repeat_interleave(H // Hkv, dim=1)
        s = torch.einsum("hd,nhd->hn", q[b], k) * D ** -0.5
        if softcap > 0:
            s = softcap * torch.tanh(s / softcap)
        out[b] = torch.einsum("hn,nhd->hd", torch.softmax(s, dim=-1), v)
    return out
