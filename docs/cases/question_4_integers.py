import question_4


def inputs(seed):
    return tuple((each * 255).round() for each in question_4.inputs(seed))
