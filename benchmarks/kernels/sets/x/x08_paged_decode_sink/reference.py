import torch
# data is a tuple: (q, k_cache, v_cache, block_table, seq_lens, sinks)


def generate_input(batch, heads, kv_heads, dim, page, max_pages, seed):
    gen = torch.Generator().manual_seed(seed)
    pages = batch * max_pages + 3
    q = torch.randn(batch, heads, dim, generator=gen)
    k = torch.randn(pages, page, kv_heads, dim, generator=gen)
    v = torch.randn(pages, page, kv_heads, dim, generator=gen)
    table = torch.randperm(pages, generator=gen)[:batch * max_pages].view(batch, max_pages).to(torch.int32)
    lens = torch.randint(1, max_pages * page + 1, (batch,), generator=gen).to(torch.int32)
    sinks = torch.randn(heads, generator=gen)
    return q, k, v, table, lens, sinks


def ref_kernel(data):
    q, kc, vc, table, lens, sinks = data
    B, H, D = q.shape
    S, HK = kc.shape[1], kc.shape[2]
    out = torch.zeros(B, H, D, dtype=torch.float64)
    for b in range(B):
        n = int(lens[b])
        if n == 0:
            continue
        pos = torch.arange(n)
        pg = table[b].long()[pos // S]
        k = kc[pg, pos % S].double().repeat_interleave(H // HK, dim=1)
        v = vc[pg, pos % S].double().repeat_interleave(H // HK, dim=1)
        s = torch.einsum("hd,nhd->hn", q[b].double(), k) / D ** 0.5
        s = torch.cat([s, sinks.double()[:, None]], dim=1)
        p = torch.softmax(s, dim=1)[:, :n]
        out[b] = torch.einsum("hn,nhd->hd", p, v)
    return out.float()


def check_implementation(data, output):
    ref = ref_kernel(data)
    if output.shape != ref.shape or not torch.allclose(output, ref, rtol=1e-2, atol=1e-2):
        return False, "output differs"
    return True, ""
