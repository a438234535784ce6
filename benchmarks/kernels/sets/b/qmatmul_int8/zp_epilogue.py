import torch


def custom_kernel(data):
    """Integer product without zero points; the epilogue takes rowsum(A) * zero off."""
    A, B, sa, sb, zb = data
    M, K = A.shape
    N = B.shape[1]
    acc = torch.zeros(M, N, dtype=torch.int32)
    rowsum = torch.zeros(M, dtype=torch.int32)
    BK = 512
    for k0 in range(0, K, BK):
        a, b = A[:, k0:k0 + BK], B[k0:k0 + BK]
        # 512 * 128 * 128 < 2**24, so the float32 tile is exact
        acc += (a.float() @ b.float()).to(torch.int32)
        rowsum += a.sum(1, dtype=torch.int32)
    acc -= rowsum[:, None] * zb[None, :]
    return acc.float() * sa[:, None] * sb[None, :]
