import torch
# data is a tuple: (scores, bias, n_group, topk_group, topk, scale)


def generate_input(tokens, experts, n_group, topk_group, topk, seed, scale=2.5):
    gen = torch.Generator().manual_seed(seed)
    scores = torch.sigmoid(torch.randn(tokens, experts, generator=gen))
    bias = 0.05 * torch.randn(experts, generator=gen)
    return scores, bias, n_group, topk_group, topk, scale


def ref_kernel(data):
    scores, bias, n_group, topk_group, topk, scale = data
    T, E = scores.shape
    keys = scores + bias
    g = keys.view(T, n_group, E // n_group)
    top2 = torch.sort(g, dim=-1, descending=True).values[..., :2]
    gs = top2[..., 0] + top2[..., 1]
    gidx = torch.sort(gs, dim=-1, descending=True, stable=True).indices[:, :topk_group]
    keep = torch.zeros(T, n_group, dtype=torch.bool).scatter_(1, gidx, True)
    masked = keys.masked_fill(~keep.repeat_interleave(E // n_group, dim=1), float("-inf"))
    idx = torch.sort(masked, dim=-1, descending=True, stable=True).indices[:, :topk]
    w = scores.gather(1, idx).double()
    w = scale * w / (w.sum(-1, keepdim=True) + 1e-20)
    return idx.to(torch.int32), w.float()


def check_implementation(data, output):
    idx, w = ref_kernel(data)
    if not torch.equal(output[0].to(torch.int32), idx):
        return False, "indices differ"
    if not torch.allclose(output[1].float(), w, rtol=1e-2, atol=1e-2):
        return False, "weights differ"
    return True, ""
