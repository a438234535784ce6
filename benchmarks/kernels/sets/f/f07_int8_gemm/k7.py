import torch
from task import input_t, output_t

TM, TK = 24, 40


def custom_kernel(data: input_t) -> output_t:
    a, b, sa, za, sb, zb = data
    m, k = a.shape
    n = b.shape[0]
    out = torch.empty(m, n, dtype=torch.float32)
    bz = b.to(torch.int32) - zb[:, None]
    for i in range(0, m, TM):
        ai = a[i:i + TM].to(torch.int32) - za[i:i + TM, None]
        acc = torch.zeros(ai.shape[0], n, dtype=torch.float64)
        for t in range(0, k, TK):
            acc += ai[:, t:t + TK].double() @ bz[:, t:t + TK].double().t()
        out[i:i + TM] = acc * sa[i:i + TM, None].double() * sb[None, :].double()
    return out
