import numpy as np
import torch


def custom_kernel(data):
    """Integer GEMM on the double-precision BLAS (exact far beyond k = 8192), split over K."""
    x, w, w_scale, bias = data
    xn = x.detach().cpu().numpy()
    wn = w.cpu().numpy().astype(np.float64)
    amax = np.abs(xn).max(axis=1, keepdims=True)
    s = np.where(amax == 0, np.float32(1), amax / np.float32(127)).astype(np.float32)
    q = np.rint(xn / s).astype(np.float64)
    half = (xn.shape[1] + 1) // 2
    acc = q[:, :half] @ wn[:, :half].T
    acc += q[:, half:] @ wn[:, half:].T
    out = acc * s * w_scale.cpu().numpy() + bias.cpu().numpy()
    return torch.from_numpy(out.astype(np.float32)).to(x.device)
