import question_4
from torch.nn.parameter import Parameter

expected = question_4.expected  # F.conv2d
inputs = question_4.inputs


def actual(images, kernels, bias):
    """As the post returns it: a new Parameter, which autograd knows nothing about."""
    result = question_4.actual(*(each.detach() for each in (images, kernels, bias)))
    return Parameter(result).type_as(images)
