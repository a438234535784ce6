import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, img, flow):
        # image by image, row of outputs by row of outputs
        return torch.stack([self._one(i, f) for i, f in zip(img, flow)]) if img.shape[0] else img.clone()

    def _one(self, img, flow):
        C, H, W = img.shape
        flat = img.reshape(C, H * W)
        xs = torch.arange(W, device=img.device, dtype=img.dtype)
        out = []
        for r in range(H):
            x = flow[0, r] + xs
            y = flow[1, r] + float(r)
            # the weights come from the clamped position, so both corners agree outside
            x = torch.clamp(x, min=0.0, max=float(W - 1))
            y = torch.clamp(y, min=0.0, max=float(H - 1))
            with torch.no_grad():
                xi = x.floor().long()
                yi = y.floor().long()
                right = torch.where(xi + 1 < W, xi + 1, xi)
                below = torch.where(yi + 1 < H, yi + 1, yi)
            ax, ay = x - xi, y - yi
            left_col = flat[:, yi * W + xi] * (1 - ay) + flat[:, below * W + xi] * ay
            right_col = flat[:, yi * W + right] * (1 - ay) + flat[:, below * W + right] * ay
            out.append(left_col * (1 - ax) + right_col * ax)
        return torch.stack(out, dim=1)
