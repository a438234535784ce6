import torch


def custom_kernel(data):
    """Recursive halving (Brent-Kung style): combine neighbours, solve the half-length
    recurrence, fill in the even steps."""
    a, b, h0, reset = data
    A = a.double() * (~reset).unsqueeze(-1)

    def solve(A, H, h):
        T = A.shape[1]
        if T == 1:
            return A * h[:, None] + H
        n = T // 2
        a0, a1 = A[:, 0:2 * n:2], A[:, 1:2 * n:2]
        b0, b1 = H[:, 0:2 * n:2], H[:, 1:2 * n:2]
        odd = solve(a1 * a0, a1 * b0 + b1, h)
        out = torch.empty_like(H)
        out[:, 1:2 * n:2] = odd
        prev = torch.cat([h[:, None], odd], dim=1)
        ev = A[:, 0::2]
        out[:, 0::2] = ev * prev[:, :ev.shape[1]] + H[:, 0::2]
        return out

    return solve(A, b.double(), h0.double()).to(torch.float32)
