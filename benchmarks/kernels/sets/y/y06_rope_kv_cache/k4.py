import torch


def custom_kernel(data):
    """Rotation as a complex product; q and k share it."""
    q, k, v, cos, sin, k_cache, v_cache, pos = data
    half = cos.shape[1]
    turn = torch.complex(cos.index_select(0, pos), sin.index_select(0, pos))
    t = torch.cat([q, k], dim=1)
    z = torch.complex(t[..., :half].contiguous(), t[..., half:2 * half].contiguous()) * turn.unsqueeze(1)
    t[..., :half] = z.real
    t[..., half:2 * half] = z.imag
    for b, p in enumerate(pos.tolist()):
        k_cache[b, p].copy_(t[b, q.shape[1]:])
        v_cache[b, p].copy_(v[b])
    return t[:, :q.shape[1]].contiguous(), k_cache, v_cache
