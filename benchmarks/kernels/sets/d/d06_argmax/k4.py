import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cstdint>
#include <cstring>
#include <vector>

static inline uint32_t order_key(float v) {
    if (v != v) return 0xFFFFFFFFu;   // NaN above everything
    v += 0.0f;                        // -0 and +0 are equal
    uint32_t u;
    std::memcpy(&u, &v, 4);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}

torch::Tensor argmax_dim(torch::Tensor x, int64_t dim) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 expected");
    if (dim < 0) dim += x.dim();
    auto xc = x.contiguous();
    int64_t outer = 1, inner = 1;
    const int64_t n = x.size(dim);
    std::vector<int64_t> shape;
    for (int64_t d = 0; d < x.dim(); ++d) {
        if (d < dim) outer *= x.size(d);
        if (d > dim) inner *= x.size(d);
        if (d != dim) shape.push_back(x.size(d));
    }
    TORCH_CHECK(n > 0, "empty reduction");
    auto out = torch::empty(shape, x.options().dtype(torch::kInt64));
    const float* xp = xc.data_ptr<float>();
    int64_t* op = out.data_ptr<int64_t>();
    TORCH_CHECK(n < (int64_t(1) << 32), "dimension too long");
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
            const float* p = xp + o * n * inner + i;
            uint64_t best = 0;
            for (int64_t k = 0; k < n; ++k) {
                const uint64_t key = (static_cast<uint64_t>(order_key(p[k * inner])) << 32) | static_cast<uint32_t>(n - 1 - k);
                if (key > best) best = key;
            }
            op[o * inner + i] = n - 1 - static_cast<int64_t>(best & 0xFFFFFFFFull);
        }
    return out;
}
"""

argmax_ext = load_inline(
    name="argmax_k4",
    cpp_sources=source,
    functions=["argmax_dim"],
    extra_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return argmax_ext.argmax_dim(x, self.dim)
