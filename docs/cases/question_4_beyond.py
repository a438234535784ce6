import numpy as np
import question_4
import torch

images, kernels, bias = question_4.inputs(0)
loop = question_4.actual(images, kernels, bias).numpy()
library = question_4.expected(images, kernels, bias).numpy()
exact = question_4.expected(images.double(), kernels.double(), bias.double()).numpy()
beyond = ~np.isclose(library, loop, rtol=1e-4, atol=0)
terms = question_4.expected(images.double().abs(), kernels.double().abs(), bias.double().abs()).numpy()

print(f"{beyond.sum()} of {beyond.size} elements differ by more than rtol 1e-4; rms of all results {np.sqrt(np.mean(exact**2)):.1f}")
print("conv2d      loop        float64     sum of |terms|   error of conv2d and of the loop, in u of sum of |terms|")
for place in zip(*np.nonzero(beyond)):
    unit = torch.finfo(torch.float32).eps / 2 * terms[place]
    errors = [abs(side[place] - exact[place]) / unit for side in (library, loop)]
    print(f"{library[place]:<11.7f} {loop[place]:<11.7f} {exact[place]:<11.7f} {terms[place]:<16.0f} {errors[0]:.2f} and {errors[1]:.2f}")
