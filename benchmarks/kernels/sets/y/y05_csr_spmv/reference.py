import torch


def generate_input(rows: int, cols: int, min_row: int, max_row: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    lengths = torch.randint(min_row, max_row + 1, (rows,), generator=gen)
    indptr = torch.zeros(rows + 1, dtype=torch.int32)
    indptr[1:] = torch.cumsum(lengths, 0)
    nnz = int(indptr[-1])
    indices = torch.randint(0, cols, (nnz,), generator=gen, dtype=torch.int32)
    values = torch.randn(nnz, generator=gen)
    x = torch.randn(cols, generator=gen)
    return indptr, indices, values, x


def ref_kernel(data):
    indptr, indices, values, x = data
    rows = indptr.numel() - 1
    lengths = (indptr[1:] - indptr[:-1]).long()
    row_of = torch.repeat_interleave(torch.arange(rows, device=x.device), lengths)
    y = torch.zeros(rows, dtype=torch.float32, device=x.device)
    y.index_add_(0, row_of, values * x[indices.long()])
    return y
