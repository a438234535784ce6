import question_3
from question_3 import expected  # F.linear
from question_3_numpy import actual  # NumPy


def inputs(seed):
    return tuple(each.double() for each in question_3.inputs(seed))
