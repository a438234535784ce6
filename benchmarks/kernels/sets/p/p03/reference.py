import torch


def ref_kernel(data):
    """Softmax over the incoming edges of every node, then weighted sum of source features (CSR)."""
    x, logits, indptr, indices = data
    m = indptr.numel() - 1
    out = torch.zeros((m, x.shape[1]), dtype=torch.float32, device=x.device)
    lse = torch.full((m,), float("-inf"), dtype=torch.float32, device=x.device)
    ptr = indptr.tolist()
    for i in range(m):
        s, e = ptr[i], ptr[i + 1]
        if s == e:
            continue
        l = logits[s:e].float()
        z = torch.logsumexp(l, dim=0)
        lse[i] = z
        if torch.isinf(z) and z < 0:
            continue                       # every edge is masked out
        w = torch.exp(l - z)
        out[i] = w @ x[indices[s:e].long()].float()
    return out.to(torch.float16), lse


def generate_input(nodes: int, dim: int, avg_degree: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    deg = torch.randint(1, 2 * avg_degree, (nodes,), generator=gen)
    indptr = torch.zeros(nodes + 1, dtype=torch.int32)
    indptr[1:] = torch.cumsum(deg, 0).to(torch.int32)
    edges = int(indptr[-1])
    indices = torch.randint(0, nodes, (edges,), generator=gen).to(torch.int32)
    logits = 2.0 * torch.randn((edges,), generator=gen)
    x = torch.randn((nodes, dim), generator=gen).to(torch.float16)
    return x, logits, indptr, indices
