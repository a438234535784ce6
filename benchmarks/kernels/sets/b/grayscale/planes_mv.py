import torch


def custom_kernel(data):
    """Pixels as a (n, 3) matrix times the weight vector, 512 pixels per tile."""
    h, w, c = data.shape
    wt = torch.tensor([[0.2989], [0.5870], [0.1140]], dtype=torch.float32)
    px = data.reshape(h * w, c)
    out = torch.empty(h * w, 1)
    for i in range(0, h * w, 512):
        out[i:i + 512] = px[i:i + 512] @ wt
    return out.reshape(h, w)
