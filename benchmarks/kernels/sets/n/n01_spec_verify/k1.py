import torch


def custom_kernel(data):
    """Row at a time; stops at the first rejection so later positions are never touched."""
    tokens, num, draft, target, u, noise = data
    B, K = tokens.shape
    V = noise.shape[1]
    acc = torch.zeros(B, dtype=torch.int32, device=tokens.device)
    out = torch.full((B, K + 1), -1, dtype=torch.int64, device=tokens.device)
    dist = torch.empty(B, V, dtype=target.dtype, device=tokens.device)
    for b in range(B):
        m = int(num[b])
        n = 0
        while n < m:
            x = int(tokens[b, n])
            if not bool(u[b, n] * draft[b, n, x] < target[b, n, x]):
                break
            out[b, n] = x
            n += 1
        row = target[b, n]
        if n < m:
            r = torch.relu(row - draft[b, n])
            z = r.sum()
            if float(z) > 0:
                row = r / z
        dist[b] = row
        out[b, n] = torch.argmax(row / noise[b])
        acc[b] = n
    return acc, out, dist
