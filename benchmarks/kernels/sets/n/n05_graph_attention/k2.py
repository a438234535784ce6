import torch


def custom_kernel(data):
    """Edge-parallel with segment reductions (scatter max, scatter add in double)."""
    rowptr, col, q, k, v, bias, scale, slope = data
    N, H, D = q.shape
    deg = (rowptr[1:] - rowptr[:-1]).long()
    row = torch.repeat_interleave(torch.arange(N, device=q.device), deg)
    j = col.long()
    s = (q[row].double() * k[j].double()).sum(-1) * scale
    s = torch.nn.functional.leaky_relu(s, slope) + bias.double()
    m = s.new_full((N, H), -float("inf")).scatter_reduce(0, row[:, None].expand(-1, H), s, "amax")
    m = torch.where(m == -float("inf"), torch.zeros_like(m), m)
    p = torch.exp(s - m[row])
    z = torch.zeros_like(m).index_add_(0, row, p)
    o = torch.zeros(N, H, D, dtype=torch.float64, device=q.device).index_add_(0, row, p[..., None] * v[j].double())
    return torch.where(z[..., None] > 0, o / z[..., None], torch.zeros_like(o)).to(q.dtype)
