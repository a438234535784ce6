import torch


def generate_input(rows: int, dim: int, segments: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    values = torch.rand(rows, dim, generator=gen)
    extra = torch.randint(0, segments, (rows - segments,), generator=gen)
    ids = torch.cat([torch.arange(segments), extra]).sort().values
    return values, ids, segments


def ref_kernel(data):
    """Segment sum, mean and maximum.

    data = (values, ids, segments)
      values    float32 [N, D], finite, of any sign, |v| <= 1e6; N >= 0, D >= 1; any strides
      ids       int64 [N], the segment of each row, in ANY order; 0 <= id < segments, or -1 for a
                padding row that belongs to nothing
      segments  int >= 1
    Returns (sum, mean, max), each float32 [segments, D] in new memory. A segment without rows has
    sum 0, mean 0 and maximum -inf. Segments may differ in size and in magnitude by a lot (one segment
    near 1e6, another near 1e-3); each one's sum has to be right to 1e-4 of the largest |value| of that
    segment times its number of rows. Results of one call must not be changed by a later call, and no
    input may be changed.
    """
    values, ids, segments = data
    live = ids >= 0
    v, i = values[live].double(), ids[live]
    D = values.shape[1]
    total = torch.zeros(segments, D, dtype=torch.float64).index_add_(0, i, v)
    count = torch.zeros(segments, dtype=torch.float64).index_add_(0, i, torch.ones(i.shape[0], dtype=torch.float64))
    top = torch.full((segments, D), float("-inf"), dtype=torch.float64)
    top = top.scatter_reduce(0, i[:, None].expand(-1, D), v, reduce="amax", include_self=True)
    mean = total / count.clamp(min=1)[:, None]
    return total.float(), mean.float(), top.float()
