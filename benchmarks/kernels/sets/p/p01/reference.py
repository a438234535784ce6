import torch

_POPCOUNT = torch.tensor([bin(i).count("1") for i in range(256)], dtype=torch.int32)


def ref_kernel(data):
    """Nearest neighbour in Hamming space over bit-packed codes.

    data = (queries, database, valid)
    returns (dist int32 [Q], idx int32 [Q])
    """
    queries, database, valid = data
    n, nbytes = database.shape
    table = _POPCOUNT.to(queries.device)
    sentinel = 8 * nbytes + 1
    pos = torch.arange(n, device=queries.device)
    dists, idxs = [], []
    for q in queries:
        bits = table[(database ^ q[None, :]).long()].sum(dim=1)
        bits = torch.where(valid, bits, torch.full_like(bits, sentinel))
        best = bits.min()
        # ties go to the lowest database index
        first = torch.where(bits == best, pos, torch.full_like(pos, n)).min()
        if best == sentinel:
            first = torch.full_like(first, -1)
        dists.append(best)
        idxs.append(first)
    return torch.stack(dists).to(torch.int32), torch.stack(idxs).to(torch.int32)


def generate_input(q: int, n: int, nbytes: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    database = torch.randint(0, 256, (n, nbytes), generator=gen, dtype=torch.uint8)
    queries = torch.randint(0, 256, (q, nbytes), generator=gen, dtype=torch.uint8)
    # every other query is a noisy copy of a database entry
    src = torch.randint(0, n, (q,), generator=gen)
    noise = torch.randint(0, 256, (q, nbytes), generator=gen, dtype=torch.uint8)
    keep = torch.rand((q, nbytes), generator=gen) < 0.1
    noisy = database[src] ^ torch.where(keep, noise, torch.zeros_like(noise))
    even = (torch.arange(q) % 2 == 0)[:, None]
    queries = torch.where(even, noisy, queries).contiguous()
    valid = torch.rand((n,), generator=gen) < 0.9
    return queries, database, valid
