import torch


def custom_kernel(data):
    """Exact in float64: every partial sum is an integer far below 2**53."""
    A, B, sa, sb, zb = data
    b = B.double() - zb.double()
    out = torch.empty(A.shape[0], B.shape[1])
    for i in range(0, A.shape[0], 16):
        rows = A[i:i + 16].double() @ b
        out[i:i + 16] = (rows * sa[i:i + 16, None].double() * sb.double()).float()
    return out
