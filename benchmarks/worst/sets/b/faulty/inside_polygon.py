import torch


def _cross(px, py, x1, y1, x2, y2):
    dy = torch.where(y1 == y2, torch.ones_like(y1), y2 - y1)
    return px < x1 + (py - y1) * (x2 - x1) / dy


def _edges(pts, poly):
    nxt = torch.roll(poly, -1, dims=0)
    return (pts[:, None, 0], pts[:, None, 1], poly[None, :, 0], poly[None, :, 1],
            nxt[None, :, 0], nxt[None, :, 1])


def actual(pts, poly):
    px, py, x1, y1, x2, y2 = _edges(pts, poly)
    spans = ((y1 <= py) & (py <= y2)) | ((y2 <= py) & (py <= y1))
    spans = spans & (y1 != y2)
    hit = spans & _cross(px, py, x1, y1, x2, y2)
    return (hit.sum(1) % 2).float()


def expected(pts, poly):
    px, py, x1, y1, x2, y2 = _edges(pts, poly)
    spans = (y1 > py) != (y2 > py)
    hit = spans & _cross(px, py, x1, y1, x2, y2)
    return (hit.sum(1) % 2).float()


def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(40, 2, generator=g), torch.randn(7, 2, generator=g))
