import copy

import torch
from question_5 import actual, expected, inputs

exact_model = copy.deepcopy(expected).double()
beyond, apart, errors = 0, [], {"compiled": [], "eager": []}
for seed in range(100):
    (x,) = inputs(seed)
    compiled, eager, exact = actual(x), expected(x), exact_model(x.double())
    beyond += not torch.allclose(compiled, eager, rtol=1e-5, atol=1e-8)
    apart.append((compiled - eager).abs().max().item())
    errors["compiled"].append((compiled - exact).abs().max().item())
    errors["eager"].append((eager - exact).abs().max().item())

print(f"{beyond} of 100 runs are beyond rtol 1e-5, atol 1e-8; largest difference {max(apart):.2g}")
for name, each in errors.items():
    print(f"{name}: largest error against float64 in 100 runs {max(each):.2g}, mean of the 100 largest errors {sum(each) / 100:.2g}")
