import math

import torch


def custom_kernel(data):
    """Log-step (Kogge-Stone) scan over the affine pairs."""
    a, b, h0, reset = data
    B, T, C = a.shape
    A = torch.where(reset[..., None], torch.zeros_like(a), a)
    H = b.clone()
    H[:, 0] = H[:, 0] + A[:, 0] * h0
    A[:, 0] = 0.0
    for s in range(int(math.log2(T))):
        d = 1 << s
        H2, A2 = H.clone(), A.clone()
        H2[:, d:] = H[:, d:] + A[:, d:] * H[:, :-d]
        A2[:, d:] = A[:, d:] * A[:, :-d]
        H, A = H2, A2
    return H
