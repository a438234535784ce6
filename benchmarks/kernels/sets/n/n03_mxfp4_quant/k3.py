import numpy as np
import torch

GRID = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float64)


def custom_kernel(data):
    """Plain nearest-value search against the E2M1 table, in NumPy."""
    x = data[0]
    R, C = x.shape
    b = x.detach().cpu().numpy().reshape(R, C // 32, 32)
    ok = np.isfinite(b).all(-1)
    v = np.where(ok[..., None], b, 0.0).astype(np.float64)
    amax = np.abs(v).max(-1)
    s = np.where(amax > 0, np.frexp(amax)[1] - 3, -127)
    s = np.clip(s, -127, 127)
    a = np.ldexp(np.abs(v), -s[..., None])
    d = np.abs(a[..., None] - GRID)
    best = d.min(-1, keepdims=True)
    tie = d == best
    even = tie[..., 0::2].any(-1)
    first_even = tie[..., 0::2].argmax(-1) * 2
    first_odd = tie[..., 1::2].argmax(-1) * 2 + 1
    code = np.where(even, first_even, first_odd)
    code = np.where(ok[..., None], code + 8 * np.signbit(b), 0).astype(np.uint8).reshape(R, C // 2, 2)
    packed = code[..., 0] | (code[..., 1] << 4)
    sb = np.where(ok, s + 127, 255).astype(np.uint8)
    return torch.from_numpy(packed).to(x.device), torch.from_numpy(sb).to(x.device)
