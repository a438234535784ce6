from fla.modules import RMSNorm  # written in triton


class ModelNew(RMSNorm):
    def __init__(self, hidden):
        super().__init__(hidden)
