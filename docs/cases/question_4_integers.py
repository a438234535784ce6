import question_4
from question_4 import actual, expected


def inputs(seed):
    return tuple((each * 255).round() for each in question_4.inputs(seed))
