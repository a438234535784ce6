import torch


def custom_kernel(data):
    """Segment ids come from a prefix sum over boundary marks (no host loop, no
    repeat_interleave synchronisation)."""
    values, indptr = data
    nnz, C = values.shape
    n = indptr.numel() - 1
    marks = torch.zeros(nnz + 1, dtype=torch.int64)
    marks[indptr[1:-1]] = 1
    ids = torch.cumsum(marks, 0)[:nnz]
    cnt = torch.zeros(n, dtype=torch.float64).index_add_(0, ids, torch.ones(nnz, dtype=torch.float64))
    den = cnt.clamp(min=1)[:, None]
    v = values.double()
    mean = torch.zeros(n, C, dtype=torch.float64).index_add_(0, ids, v) / den
    var = torch.zeros(n, C, dtype=torch.float64).index_add_(0, ids, (v - mean[ids]).square()) / den
    mx = torch.zeros(n, C).scatter_reduce(0, ids[:, None].expand(-1, C), values, reduce="amax", include_self=False)
    return torch.stack([mean.float(), var.float(), mx], dim=1)
