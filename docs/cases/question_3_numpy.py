import question_3
import torch


def actual(x, W, B):
    return torch.from_numpy(x.numpy() @ W.numpy().T + B.numpy())


def inputs(seed):
    return question_3.inputs(seed)
