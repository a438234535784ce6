from liger_kernel.transformers.group_norm import LigerGroupNorm  # written in triton


class ModelNew(LigerGroupNorm):
    pass
