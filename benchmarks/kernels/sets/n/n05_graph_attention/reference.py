import torch


def generate_input(rows, cols, heads, dim, max_degree, slope=0.2, seed=0):
    g = torch.Generator().manual_seed(seed)
    deg = torch.randint(0, max_degree + 1, (rows,), generator=g)
    deg[rows // 2] = 0
    rowptr = torch.zeros(rows + 1, dtype=torch.int32)
    rowptr[1:] = deg.cumsum(0)
    col = torch.cat([torch.randperm(cols, generator=g)[:int(d)] if d <= cols else
                     torch.randint(0, cols, (int(d),), generator=g) for d in deg]).to(torch.int32)
    q = torch.randn(rows, heads, dim, generator=g)
    k = torch.randn(cols, heads, dim, generator=g)
    v = torch.randn(cols, heads, dim, generator=g)
    bias = torch.randn(col.numel(), heads, generator=g)
    return rowptr, col, q, k, v, bias, dim ** -0.5, slope


def ref_kernel(data):
    rowptr, col, q, k, v, bias, scale, slope = data
    out = torch.zeros_like(q)
    rp = rowptr.tolist()
    for i in range(q.shape[0]):
        lo, hi = rp[i], rp[i + 1]
        if lo == hi:
            continue
        j = col[lo:hi].long()
        s = torch.einsum("hd,ehd->eh", q[i], k[j]) * scale
        s = torch.where(s > 0, s, s * slope) + bias[lo:hi]
        m = s.amax(0, keepdim=True)
        m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
        p = torch.exp(s - m)
        z = p.sum(0)
        z = torch.where(z > 0, z, torch.ones_like(z))
        out[i] = torch.einsum("eh,ehd->hd", p, v[j]) / z[:, None]
    return out
