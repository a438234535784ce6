import question_3


def inputs(seed):
    return tuple(each.double() for each in question_3.inputs(seed))
