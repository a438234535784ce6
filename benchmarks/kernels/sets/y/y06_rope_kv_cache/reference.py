import torch


def generate_input(batch: int, heads: int, kv_heads: int, dim: int, rot: int, seq: int, base: float,
                   fused: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    freq = base ** (-torch.arange(0, rot, 2, dtype=torch.float64) / rot)
    angle = torch.arange(seq, dtype=torch.float64)[:, None] * freq[None, :]
    cos, sin = angle.cos().float(), angle.sin().float()
    qkv = torch.randn(batch, heads + 2 * kv_heads, dim, generator=gen)
    q, k, v = qkv.split([heads, kv_heads, kv_heads], dim=1)
    if not fused:
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    k_cache = torch.randn(batch, seq, kv_heads, dim, generator=gen).half()
    v_cache = torch.randn(batch, seq, kv_heads, dim, generator=gen).half()
    pos = torch.randint(0, seq, (batch,), generator=gen)
    return q, k, v, cos, sin, k_cache, v_cache, pos


def _rotate(t, c, s):
    half = c.shape[-1]
    a, b, rest = t[..., :half], t[..., half:2 * half], t[..., 2 * half:]
    return torch.cat([a * c - b * s, b * c + a * s, rest], dim=-1)


def ref_kernel(data):
    q, k, v, cos, sin, k_cache, v_cache, pos = data
    c, s = cos[pos][:, None, :], sin[pos][:, None, :]
    row = torch.arange(q.shape[0], device=q.device)
    k_cache[row, pos] = _rotate(k, c, s).half()
    v_cache[row, pos] = v.half()
    return _rotate(q, c, s), k_cache, v_cache
