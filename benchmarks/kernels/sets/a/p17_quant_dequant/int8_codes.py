import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        a = x.detach().numpy()
        amax = np.max(np.abs(a), axis=-1, keepdims=True)
        scale = np.maximum(amax / np.float32(127.0), np.float32(1e-8))
        codes = np.clip(np.rint(a / scale), -127, 127).astype(np.int8)
        return torch.from_numpy(codes.astype(np.float32) * scale)
