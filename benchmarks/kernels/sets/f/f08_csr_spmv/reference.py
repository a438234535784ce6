import torch
from task import input_t, output_t


def generate_input(rows: int, cols: int, per_row: int, seed: int) -> input_t:
    """CSR matrix (indptr int64, indices int64, values float64) and a float64 vector."""
    g = torch.Generator().manual_seed(seed)
    counts = torch.randint(1, per_row + 1, (rows,), generator=g)
    indptr = torch.zeros(rows + 1, dtype=torch.int64)
    indptr[1:] = torch.cumsum(counts, 0)
    nnz = int(indptr[-1])
    indices = torch.randint(0, cols, (nnz,), generator=g)
    values = torch.randn(nnz, generator=g, dtype=torch.float64)
    x = torch.randn(cols, generator=g, dtype=torch.float64)
    return indptr, indices, values, x


def ref_kernel(data: input_t) -> output_t:
    """y[r] = sum of values * x[indices] over the entries of row r; rows may be empty."""
    indptr, indices, values, x = data
    rows = indptr.numel() - 1
    row_of = torch.repeat_interleave(torch.arange(rows), indptr[1:] - indptr[:-1])
    y = torch.zeros(rows, dtype=torch.float64)
    return y.index_add_(0, row_of, values * x[indices])
