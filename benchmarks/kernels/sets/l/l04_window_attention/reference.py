import math
import torch


def generate_input(b, hq, hkv, s, d, window, seed):
    g = torch.Generator().manual_seed(seed)
    q = torch.randn(b, hq, s, d, generator=g).to(torch.bfloat16)
    k = torch.randn(b, hkv, s, d, generator=g).to(torch.bfloat16)
    v = torch.randn(b, hkv, s, d, generator=g).to(torch.bfloat16)
    sinks = torch.randn(hq, generator=g)
    return q, k, v, sinks, window


def ref_kernel(data):
    q, k, v, sinks, window = data
    b, hq, s, d = q.shape
    rep = hq // k.shape[1]
    k = k.repeat_interleave(rep, 1).float()
    v = v.repeat_interleave(rep, 1).float()
    scores = (q.float() @ k.transpose(-1, -2)) / math.sqrt(d)
    i = torch.arange(s, device=q.device)[:, None]
    j = torch.arange(s, device=q.device)[None, :]
    scores = scores.masked_fill((j > i) | (j <= i - window), float("-inf"))
    sink = sinks.float().view(1, hq, 1, 1).expand(b, hq, s, 1)
    p = torch.softmax(torch.cat((scores, sink), -1), -1)[..., :-1]
    return (p @ v).to(torch.bfloat16)
