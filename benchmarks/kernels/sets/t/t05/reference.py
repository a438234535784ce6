import torch


def generate_input(nodes, rows, feat, max_deg, seed, reduction="sum", weighted=0):
    g = torch.Generator().manual_seed(seed)
    deg = torch.randint(0, max_deg + 1, (rows,), generator=g)
    indptr = torch.zeros(rows + 1, dtype=torch.int64)
    indptr[1:] = deg.cumsum(0)
    indices = torch.cat([torch.randperm(nodes, generator=g)[:d] for d in deg.tolist()] or [torch.zeros(0, dtype=torch.int64)])
    x = torch.randn(nodes, feat, generator=g)
    w = torch.rand(indices.numel(), generator=g) + 0.1 if weighted else None
    return x, indptr, indices, w, reduction


def ref_kernel(data):
    x, indptr, indices, w, reduction = data
    R = indptr.numel() - 1
    out = torch.zeros(R, x.shape[1], dtype=x.dtype)
    for r in range(R):
        a, b = int(indptr[r]), int(indptr[r + 1])
        if a == b:
            continue
        msg = x[indices[a:b]]
        if w is not None:
            msg = msg * w[a:b, None]
        if reduction == "sum":
            out[r] = msg.sum(0)
        elif reduction == "mean":
            out[r] = msg.sum(0) / (b - a)
        else:
            out[r] = msg.max(0).values
    return out
