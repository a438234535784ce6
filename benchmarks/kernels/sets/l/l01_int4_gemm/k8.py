import torch


def custom_kernel(data):
    x, qweight, scales, zeros = data
    K = x.shape[1]
    G = K // scales.shape[0]
    packed = qweight.view(torch.int8)
    w = torch.empty((K, qweight.shape[1]), dtype=torch.float32, device=x.device)
    w[0::2] = (packed & 0xF).float()
    w[1::2] = (packed >> 4).float()
    w = w.view(-1, G, w.shape[1])
    w = (w - zeros.float().unsqueeze(1)) * scales.float().unsqueeze(1)
    return (x.float() @ w.view(K, -1)).half()
