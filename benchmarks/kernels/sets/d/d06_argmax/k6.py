import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cmath>
#include <limits>
#include <vector>

static inline bool beats(float a, float b) {
    return a > b || (std::isnan(a) && !std::isnan(b));
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
    constexpr int W = 4;
    for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
            const float* p = xp + o * n * inner + i;
            float bv[W];
            int64_t bi[W];
            for (int l = 0; l < W; ++l) {
                bv[l] = -std::numeric_limits<float>::infinity();
                bi[l] = n;
            }
            int64_t k = 0;
            for (; k + W <= n; k += W)
                for (int l = 0; l < W; ++l) {
                    const float v = p[(k + l) * inner];
                    if (bi[l] == n || beats(v, bv[l])) {
                        bv[l] = v;
                        bi[l] = k + l;
                    }
                }
            for (int l = 0; k < n; ++k, ++l) {
                const float v = p[k * inner];
                if (bi[l] == n || beats(v, bv[l])) {
                    bv[l] = v;
                    bi[l] = k;
                }
            }
            float best = bv[0];
            int64_t at = bi[0];
            for (int l = 1; l < W; ++l)
                if (bi[l] < n && (beats(bv[l], best) || (!beats(best, bv[l]) && bi[l] < at))) {
                    best = bv[l];
                    at = bi[l];
                }
            op[o * inner + i] = at;
        }
    return out;
}
"""

argmax_ext = load_inline(
    name="argmax_k6",
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
