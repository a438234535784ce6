"""Masked histogram equalisation with torch.histc (double, unit-wide bins centred on the levels)."""
import torch


def _lut(counts):
    cdf = counts.cumsum(0)
    n = int(cdf[-1])
    if n == 0:
        return None
    lowest = int(torch.nonzero(counts)[0])
    cmin = int(counts[lowest])
    den = n - cmin
    if den == 0:
        return None
    num = 2 * 255 * (cdf - cmin) + (den - (den & 1))    # twice the numerator
    return (num // (2 * den)).clamp(0, 255).to(torch.uint8)


def custom_kernel(data):
    img, mask = data
    b, h, w, c = img.shape
    out = img.clone(memory_format=torch.contiguous_format)
    hist = torch.empty((b, c, 256), dtype=torch.int32, device=img.device)
    for i in range(b):
        for ch in range(c):
            roi = img[i, :, :, ch][mask[i]]
            if roi.numel() == 0:
                hist[i, ch].zero_()
                continue
            counts = torch.histc(roi.double(), bins=256, min=-0.5, max=255.5).to(torch.int64)
            hist[i, ch] = counts
            lut = _lut(counts)
            if lut is not None:
                out[i, :, :, ch].masked_scatter_(mask[i], lut[roi.long()])
    return out, hist
