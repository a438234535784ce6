import math
import torch
import torch.nn as nn

tokens = 64
num_experts = 16
top_k = 4
capacity_factor = 1.0
route_scale = 2.5


class Model(nn.Module):
    """
    Router of a mixture of experts, balanced by a bias, with a fixed capacity per expert.

    A token's scores are sigmoid(logits). Experts are chosen by score + bias: the top_k largest,
    in falling order, equal ones by lower expert number first. The bias only chooses; the weights
    are the plain scores of the chosen experts, divided by their sum and times route_scale.
    Each expert has ceil(tokens * top_k / experts * capacity_factor) slots, given out in the order
    of tokens. A choice that finds no slot left is dropped: slot -1 and weight 0, the other weights
    of that token stay as they are.

    Inputs:
        logits: (tokens, experts), float32, but often computed in a lower precision, so that
                equal logits in a row are common; values from -30 to 30. Any number of tokens.
        The bias is a trained parameter and may be of either sign and larger than 1 in size.
    Returns:
        experts (tokens, top_k) int64, weights (tokens, top_k) float32, slots (tokens, top_k) int64.
    """

    def __init__(self, num_experts, top_k, capacity_factor, route_scale):
        super().__init__()
        self.top_k = top_k
        self.capacity_factor = capacity_factor
        self.route_scale = route_scale
        self.bias = nn.Parameter(torch.zeros(num_experts), requires_grad=False)

    def forward(self, logits):
        T, E = logits.shape
        scores = torch.sigmoid(logits)
        idx = torch.sort(scores + self.bias, dim=1, descending=True, stable=True).indices[:, :self.top_k]
        w = scores.gather(1, idx)
        w = w / w.sum(1, keepdim=True) * self.route_scale
        capacity = math.ceil(T * self.top_k * self.capacity_factor / E)
        flat = idx.reshape(-1)
        one = torch.nn.functional.one_hot(flat, E)
        slot = (one.cumsum(0) - 1).gather(1, flat[:, None]).view_as(idx)
        keep = slot < capacity
        return idx, torch.where(keep, w, 0.0), torch.where(keep, slot, -1)


def get_inputs():
    return [torch.randn(tokens, num_experts)]


def get_init_inputs():
    return [num_experts, top_k, capacity_factor, route_scale]
