"""Masked histogram equalisation with in-place LUT application (halves the memory traffic)."""
import torch


def custom_kernel(data):
    img, mask = data
    b, h, w, c = img.shape
    hist = torch.zeros((b, c, 256), dtype=torch.int32, device=img.device)
    ident = torch.arange(256, device=img.device)
    for i in range(b):
        roi = img[i][mask[i]].long()                             # (n, c)
        if roi.shape[0] == 0:
            continue
        for ch in range(c):
            cnt = torch.bincount(roi[:, ch], minlength=256)
            hist[i, ch] = cnt
            cdf = cnt.cumsum(0)
            lo = cnt[cnt > 0][0]
            den = cdf[-1] - lo
            if den > 0:
                lut = ((cdf - lo).clamp(min=0) * 255 + den // 2) // den
            else:
                lut = ident
            roi[:, ch] = lut[roi[:, ch]]
        img[i][mask[i]] = roi.to(torch.uint8)
    return img, hist
