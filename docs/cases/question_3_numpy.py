import question_3
import torch

expected = question_3.expected  # F.linear
inputs = question_3.inputs


def actual(x, W, B):
    return torch.from_numpy(x.numpy() @ W.numpy().T + B.numpy())
