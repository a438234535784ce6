import numpy as np
import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    ln = logits.numpy()
    score = ln + bias.numpy()
    experts = np.broadcast_to(np.arange(score.shape[1]), score.shape)
    # last key is the primary one: not-a-number first, then by score, then by number
    order = np.lexsort((experts, -score, ~np.isnan(score)), axis=-1)
    index = np.ascontiguousarray(order[:, :k])
    chosen = np.take_along_axis(ln, index, axis=1).astype(np.float64)
    e = np.exp(chosen - chosen.max(axis=1, keepdims=True))
    weights = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    return torch.from_numpy(weights), torch.from_numpy(index)
