import torch

BM, BN, BK = 16, 32, 128


def custom_kernel(data):
    """Tiled integer GEMM, int32 accumulators, dequantisation in the epilogue of a tile."""
    x, w, w_scale, bias = data
    M, K = x.shape
    N = w.shape[0]
    s = x.new_empty(M)
    q = torch.empty(M, K, dtype=torch.int8, device=x.device)
    for r in range(0, M, BM):
        top = torch.maximum(x[r:r + BM].amax(1), -x[r:r + BM].amin(1))
        s[r:r + BM] = torch.where(top > 0, top / 127, 1.0)
        q[r:r + BM] = (x[r:r + BM] / s[r:r + BM, None]).round_().clamp_(-127, 127).to(torch.int8)
    y = x.new_empty(M, N)
    for r in range(0, M, BM):
        for c in range(0, N, BN):
            acc = 0
            for k in range(0, K, BK):
                acc = acc + q[r:r + BM, k:k + BK].int() @ w[c:c + BN, k:k + BK].int().t()
            y[r:r + BM, c:c + BN] = acc.float() * s[r:r + BM, None] * w_scale[c:c + BN] + bias[c:c + BN]
    return y
