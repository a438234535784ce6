import numpy as np
import question_3
import torch

for dtype in (torch.float32, torch.float64):
    x, W, B = (each.to(dtype) for each in question_3.inputs(0))
    library = question_3.expected(x, W, B)
    by_hand = question_3.actual(x, W, B)
    in_numpy = x.numpy() @ W.numpy().T + B.numpy()
    print(
        f"{str(dtype).removeprefix('torch.')}: sum of |differences| from F.linear: x @ W.T + B {(by_hand - library).abs().sum().item():.2e}, "
        f"NumPy {np.abs(in_numpy - library.numpy()).sum():.2e}; of |results| {library.abs().sum().item():.2e}; "
        f"torch.allclose {torch.allclose(by_hand, library)}"
    )
