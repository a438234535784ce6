import torch

_CHUNK = 32


def custom_kernel(data):
    """Chan's parallel variance: fixed-size chunks are summarised as (n, mean, M2, max)
    and merged pairwise."""
    values, indptr = data
    bounds = indptr.tolist()
    C = values.shape[1]
    out = values.new_zeros(len(bounds) - 1, 3, C)
    for i, (lo, hi) in enumerate(zip(bounds[:-1], bounds[1:])):
        parts = []
        for s in range(lo, hi, _CHUNK):
            x = values[s:min(s + _CHUNK, hi)].double()
            m = x.mean(0)
            parts.append((x.shape[0], m, (x - m).square().sum(0), x.amax(0)))
        if not parts:
            continue
        while len(parts) > 1:
            nxt = []
            for a in range(0, len(parts) - 1, 2):
                (na, ma, qa, xa), (nb, mb, qb, xb) = parts[a], parts[a + 1]
                n = na + nb
                d = mb - ma
                nxt.append((n, ma + d * (nb / n), qa + qb + d * d * (na * nb / n), torch.maximum(xa, xb)))
            if len(parts) % 2:
                nxt.append(parts[-1])
            parts = nxt
        n, m, q, x = parts[0]
        out[i, 0], out[i, 1], out[i, 2] = m, q / n, x
    return out
