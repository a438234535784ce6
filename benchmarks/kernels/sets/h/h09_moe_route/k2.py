import torch


def custom_kernel(data):
    logits, bias, k, capacity = data
    T, E = logits.shape
    score = logits + bias
    a, b = score.unsqueeze(2), score.unsqueeze(1)
    lower = torch.arange(E).unsqueeze(0) < torch.arange(E).unsqueeze(1)
    rank = ((b > a) | ((b == a) & lower)).sum(dim=2)
    experts = torch.empty(T, E, dtype=torch.int64)
    experts.scatter_(1, rank, torch.arange(E).expand(T, E).contiguous())
    experts = experts[:, :k].contiguous()
    chosen = (rank < k)
    per_token = chosen.long()
    before = torch.cumsum(per_token, dim=0) - per_token
    place = before.gather(1, experts)
    z = logits.masked_fill(~chosen, float("-inf"))
    top = z.amax(dim=1, keepdim=True)
    e = torch.exp(z - top)
    weights = e.gather(1, experts) / e.sum(dim=1, keepdim=True)
    ok = place < capacity
    return experts, torch.where(ok, weights, 0.0), torch.where(ok, place, -1), per_token.sum(0)
