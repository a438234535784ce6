import torch


def generate_input(num_seqs: int, num_heads: int, num_kv_heads: int, head_dim: int, block_size: int,
                   max_len: int, scale_inv: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    max_blocks = (max_len + block_size - 1) // block_size
    num_blocks = num_seqs * max_blocks + 3
    q = torch.randn(num_seqs, num_heads, head_dim, generator=gen)
    k_cache = torch.randn(num_blocks, block_size, num_kv_heads, head_dim, generator=gen)
    v_cache = torch.randn(num_blocks, block_size, num_kv_heads, head_dim, generator=gen)
    perm = torch.randperm(num_blocks, generator=gen)[:num_seqs * max_blocks]
    block_tables = perm.view(num_seqs, max_blocks).to(torch.int32)
    context_lens = torch.randint(1, max_len + 1, (num_seqs,), generator=gen).to(torch.int32)
    context_lens[0] = max_len
    return q, k_cache, v_cache, block_tables, context_lens, 1.0 / scale_inv


def ref_kernel(data):
    """
    Decode step of attention over a paged key/value cache (one query token per sequence, grouped heads:
    query head h uses key/value head h // (num_heads // num_kv_heads)). Inference only.
    Every sequence has at least one token; slots of the cache past a sequence's length hold other data.
    """
    q, k_cache, v_cache, block_tables, context_lens = (t.contiguous() for t in data[:5])
    scale = data[5]
    S, H, D = q.shape
    _, BS, HK, _ = k_cache.shape
    out = torch.empty_like(q)
    for s in range(S):
        n = int(context_lens[s])
        blocks = block_tables[s, :(n + BS - 1) // BS].long()
        k = k_cache[blocks].reshape(-1, HK, D)[:n].repeat_interleave(H // HK, dim=1)
        v = v_cache[blocks].reshape(-1, HK, D)[:n].repeat_interleave(H // HK, dim=1)
        score = torch.einsum("hd,nhd->hn", q[s], k) * scale
        p = torch.softmax(score, dim=-1)
        out[s] = torch.einsum("hn,nhd->hd", p, v)
    return out
