import norm_problem
import norm_solution
import torch

accepted = {"allclose at 1e-2": 0, "assert_close": 0}
for seed in range(5):
    torch.manual_seed(seed)
    model, solution = (module(*norm_problem.get_init_inputs()) for module in (norm_problem.Model, norm_solution.ModelNew))
    x = norm_problem.get_inputs()[0]
    with torch.no_grad():
        found, wanted = solution(x), model(x)
    accepted["allclose at 1e-2"] += torch.allclose(found, wanted, rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(found, wanted)
    accepted["assert_close"] += 1
for name, count in accepted.items():
    print(f"{name}: {count} of 5 draws accepted")
