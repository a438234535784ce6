import numpy as np
import torch


def custom_kernel(data):
    """Streaming form: one ring buffer of K entries per channel, one time step after another."""
    x, weight, bias, state = data
    B, D, L = x.shape
    K = weight.shape[1]
    w = weight.numpy().astype(np.float64)
    xs = x.numpy()
    ring = np.zeros((B, D, K))
    ring[:, :, :K - 1] = state.numpy()
    head = K - 1                                    # slot to be written next
    y = np.empty((B, D, L), np.float32)
    for t in range(L):
        ring[:, :, head] = xs[:, :, t]
        order = [(head + 1 + j) % K for j in range(K)]
        c = (ring[:, :, order] * w[None]).sum(-1) + bias.numpy()[None].astype(np.float64)
        y[:, :, t] = c * 0.5 * (1.0 + np.tanh(0.5 * c)) if np.abs(c).max() < 15 else c / (1.0 + np.exp(np.minimum(-c, 700.0)))
        head = (head + 1) % K
    order = [(head + 1 + j) % K for j in range(K - 1)]
    return torch.from_numpy(y), torch.from_numpy(ring[:, :, order].astype(np.float32))
