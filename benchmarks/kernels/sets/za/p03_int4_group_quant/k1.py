import numpy as np
import torch


def custom_kernel(data):
    w, g = data
    x = w.numpy().astype(np.float32)
    R, C = x.shape
    x = np.ascontiguousarray(x).reshape(R, -1, g)
    lo = np.minimum(x.min(axis=2), np.float32(0))
    hi = np.maximum(x.max(axis=2), np.float32(0))
    scale = ((hi - lo) / np.float32(15)).astype(np.float16)
    scale[scale == 0] = np.float16(1)
    s = scale.astype(np.float32)
    zero = np.clip(np.rint(-lo / s), 0, 15)
    q = np.clip(np.rint(x / s[..., None]) + zero[..., None], 0, 15)
    q = q.astype(np.uint8).reshape(R, C // 2, 2)
    packed = q[..., 0] + q[..., 1] * np.uint8(16)
    return torch.from_numpy(packed), torch.from_numpy(scale), torch.from_numpy(zero.astype(np.uint8))
