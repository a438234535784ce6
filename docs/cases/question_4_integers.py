import question_4

actual = question_4.actual
expected = question_4.expected


def inputs(seed):
    return tuple((each * 255).round() for each in question_4.inputs(seed))
