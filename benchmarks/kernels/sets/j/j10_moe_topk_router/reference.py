import torch


def generate_input(n: int, e: int, k: int, renorm: int, spread: float, step: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    logits = torch.randn(n, e, generator=gen) * spread
    if step > 0:
        logits = torch.round(logits / step) * step      # coarse gate outputs: ties happen
    return logits, k, bool(renorm)


def ref_kernel(data):
    """
    Mixture-of-experts router: the k experts with the largest logits per token, in descending order of the logit;
    of equal logits the lower expert id comes first. Weights are the softmax over all experts, or (renorm) divided
    by the sum of the chosen ones. Also the number of tokens per expert. Inference only.
    -> weights (n, k) float, ids (n, k) int64, counts (e,) int64
    """
    logits, k, renorm = data
    e = logits.shape[1]
    order = torch.sort(logits, dim=1, descending=True, stable=True)
    ids = order.indices[:, :k].contiguous()
    if renorm:
        weights = torch.softmax(order.values[:, :k], dim=1)
    else:
        weights = torch.softmax(logits, dim=1).gather(1, ids)
    counts = torch.bincount(ids.flatten(), minlength=e)
    return weights, ids, counts
