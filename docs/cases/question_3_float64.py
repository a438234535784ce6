import question_3
import question_3_numpy

actual = question_3_numpy.actual
expected = question_3.expected  # F.linear


def inputs(seed):
    return tuple(each.double() for each in question_3.inputs(seed))
