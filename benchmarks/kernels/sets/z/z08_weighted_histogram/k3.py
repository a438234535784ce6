import torch


def custom_kernel(data):
    x, weights, edges = data
    K = edges.numel() - 1
    left = x.unsqueeze(1) >= edges[:-1]
    right = x.unsqueeze(1) < edges[1:]
    right[:, -1] = x <= edges[-1]
    hit = (left & right).float()
    return (weights.float() @ hit).round().long()
