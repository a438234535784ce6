import torch


def custom_kernel(data):
    q, k_cache, v_cache, block_tables, context_lens, scale = data
    S, H, D = q.shape
    _, BS, HK, _ = k_cache.shape
    n = int(context_lens.max())
    tables = block_tables[:, :-(-n // BS)].long()
    k = k_cache[tables].flatten(1, 2).permute(0, 2, 1, 3)          # S, HK, N, D
    v = v_cache[tables].flatten(1, 2).permute(0, 2, 1, 3)
    qg = q.reshape(S, HK, H // HK, D)
    score = torch.matmul(qg, k.transpose(-1, -2)).mul_(scale)
    pos = torch.arange(k.shape[2], device=q.device)
    hide = pos[None, :] >= context_lens[:, None]
    score.masked_fill_(hide[:, None, None, :], float("-inf"))
    v = v.masked_fill(hide[:, None, :, None], 0.0)
    return torch.matmul(score.softmax(-1), v).reshape(S, H, D)
