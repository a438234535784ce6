import torch

SPLITS = 4


def custom_kernel(data):
    """Split-K: each split makes a float64 partial product, then the partials are reduced."""
    a, b = data
    M, K = a.shape
    N = b.shape[1]
    chunk = (K + SPLITS - 1) // SPLITS
    partial = torch.zeros(SPLITS, M, N, dtype=torch.float64)
    for s in range(SPLITS):
        k0, k1 = s * chunk, min((s + 1) * chunk, K)
        if k0 < k1:
            at = a[:, k0:k1].double()
            bt = b[k0:k1].double()
            partial[s] = (at.unsqueeze(2) * bt.unsqueeze(0)).sum(1) if M * N * (k1 - k0) < 1 << 18 else at @ bt
    return partial.sum(0).float()
