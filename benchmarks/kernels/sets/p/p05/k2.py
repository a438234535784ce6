"""Shifted-force LJ, tiled over j; parameters of the cutoff are tabulated on the host."""
import torch
import triton
import triton.language as tl


@triton.jit
def _lj(pos_ptr, typ_ptr, box_ptr, eps_ptr, sig_ptr, ucut_ptr, fcut_ptr, out_f, out_u, out_w, n, nt, rc,
        BI: tl.constexpr, BJ: tl.constexpr):
    i = tl.program_id(0) * BI + tl.arange(0, BI)
    mi = i < n
    xi = tl.load(pos_ptr + i * 3, mask=mi, other=0.0)
    yi = tl.load(pos_ptr + i * 3 + 1, mask=mi, other=0.0)
    zi = tl.load(pos_ptr + i * 3 + 2, mask=mi, other=0.0)
    ti = tl.load(typ_ptr + i, mask=mi, other=0)
    bx = tl.load(box_ptr)
    by = tl.load(box_ptr + 1)
    bz = tl.load(box_ptr + 2)
    fx = tl.zeros([BI], tl.float32)
    fy = tl.zeros([BI], tl.float32)
    fz = tl.zeros([BI], tl.float32)
    uu = tl.zeros([BI], tl.float32)
    ww = tl.zeros([BI], tl.float32)
    for j0 in range(0, n, BJ):
        j = j0 + tl.arange(0, BJ)
        mj = j < n
        xj = tl.load(pos_ptr + j * 3, mask=mj, other=0.0)
        yj = tl.load(pos_ptr + j * 3 + 1, mask=mj, other=0.0)
        zj = tl.load(pos_ptr + j * 3 + 2, mask=mj, other=0.0)
        tj = tl.load(typ_ptr + j, mask=mj, other=0)
        dx = xi[:, None] - xj[None, :]
        dy = yi[:, None] - yj[None, :]
        dz = zi[:, None] - zj[None, :]
        dx -= bx * tl.floor(dx / bx + 0.5)
        dy -= by * tl.floor(dy / by + 0.5)
        dz -= bz * tl.floor(dz / bz + 0.5)
        r2 = dx * dx + dy * dy + dz * dz
        ok = (r2 < rc * rc) & (i[:, None] != j[None, :])
        r = tl.sqrt(tl.where(ok, r2, 1.0))
        k = ti[:, None] * nt + tj[None, :]
        e = tl.load(eps_ptr + k)
        s = tl.load(sig_ptr + k)
        fc = tl.load(fcut_ptr + k)
        uc = tl.load(ucut_ptr + k)
        s2 = s * s / (r * r)
        q = s2 * s2 * s2
        f = tl.where(ok, 24.0 * e * q * (2.0 * q - 1.0) / r - fc, 0.0)
        u = tl.where(ok, 4.0 * e * q * (q - 1.0) - uc + (r - rc) * fc, 0.0)
        g = f / r
        fx += tl.sum(g * dx, 1)
        fy += tl.sum(g * dy, 1)
        fz += tl.sum(g * dz, 1)
        uu += tl.sum(u, 1)
        ww += tl.sum(f * r, 1)
    tl.store(out_f + i * 3, fx, mask=mi)
    tl.store(out_f + i * 3 + 1, fy, mask=mi)
    tl.store(out_f + i * 3 + 2, fz, mask=mi)
    tl.store(out_u + i, 0.5 * uu, mask=mi)
    tl.store(out_w + i, 0.5 * ww, mask=mi)


def custom_kernel(data):
    pos, types, box, eps, sigma, rc = data
    pos = pos.contiguous()
    eps, sigma = eps.contiguous(), sigma.contiguous()
    n = pos.shape[0]
    c6 = (sigma / rc) ** 6
    ucut = 4.0 * eps * (c6 * c6 - c6)
    fcut = 24.0 * eps * (2.0 * c6 * c6 - c6) / rc
    f = torch.empty((n, 3), dtype=torch.float32, device=pos.device)
    u = torch.empty((n,), dtype=torch.float32, device=pos.device)
    w = torch.empty((n,), dtype=torch.float32, device=pos.device)
    _lj[(triton.cdiv(n, 32),)](pos, types.contiguous(), box.contiguous(), eps, sigma, ucut, fcut, f, u, w,
                               n, eps.shape[0], rc, BI=32, BJ=32)
    return f, u, w
