import torch


def generate_input(rows: int, cols: int, features: int, min_degree: int, max_degree: int, weighted: bool, repeats: bool,
                   shift: float, spread: float, index_dtype: str, reduce: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    degree = torch.randint(min_degree, max_degree + 1, (rows,), generator=gen)
    if not repeats:
        degree = degree.clamp(max=cols)
    indptr = torch.zeros(rows + 1, dtype=torch.int64)
    indptr[1:] = degree.cumsum(0)
    indices = []
    for d in degree.tolist():
        if repeats:
            indices.append(torch.randint(0, cols, (d,), generator=gen))
        else:
            indices.append(torch.randperm(cols, generator=gen)[:d])
    indices = torch.cat(indices)
    weights = 0.5 + torch.rand(indices.numel(), generator=gen) if weighted else None
    x = torch.randn(cols, features, generator=gen) + shift
    x = x * 10.0 ** ((torch.rand(cols, 1, generator=gen) * 2 - 1) * spread)
    dt = getattr(torch, index_dtype)
    return indptr.to(dt), indices.to(dt), weights, x, reduce


def ref_kernel(data):
    indptr, indices, weights, x, reduce = data
    rows = indptr.numel() - 1
    out = torch.zeros(rows, x.shape[1], dtype=torch.float64)
    ptr = indptr.tolist()
    for r in range(rows):
        lo, hi = ptr[r], ptr[r + 1]
        if hi > lo:
            v = x[indices[lo:hi].long()].double()
            if weights is not None:
                v = v * weights[lo:hi, None].double()
            out[r] = v.amax(0) if reduce == "max" else v.sum(0) / (hi - lo if reduce == "mean" else 1)
    return out.float()
