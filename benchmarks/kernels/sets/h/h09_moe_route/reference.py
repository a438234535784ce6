import torch


def generate_input(tokens: int, experts: int, k: int, capacity: int, seed: int):
    gen = torch.Generator()
    gen.manual_seed(seed)
    logits = (torch.randn(tokens, experts, generator=gen) * 8).round() / 4
    bias = (torch.randn(experts, generator=gen) * 2).round() / 4
    return logits, bias, k, capacity


def ref_kernel(data):
    """Top-k expert routing with a capacity.

    Experts are chosen by logits + bias (float32), highest first; equal scores go to
    the lower expert number. Gate weights are a softmax of the chosen experts' logits
    (without the bias). Requests queue per expert in token order, then slot order;
    a request whose place in the queue is >= capacity is dropped: weight 0, place -1.
    Returns experts (T, k) int64, weights (T, k) float32, place (T, k) int64,
    load (E,) int64: the requests per expert before dropping.
    """
    logits, bias, k, capacity = data
    T, E = logits.shape
    score = logits + bias
    experts = torch.sort(score, dim=1, descending=True, stable=True).indices[:, :k]
    weights = torch.softmax(logits.gather(1, experts), dim=1)
    flat = experts.reshape(-1)
    hot = torch.nn.functional.one_hot(flat, E)
    place = ((torch.cumsum(hot, dim=0) - 1) * hot).sum(dim=1).reshape(T, k)
    load = hot.sum(dim=0)
    kept = place < capacity
    return experts, weights * kept, torch.where(kept, place, torch.full_like(place, -1)), load
