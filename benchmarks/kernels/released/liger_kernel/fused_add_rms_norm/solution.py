from liger_kernel.transformers.fused_add_rms_norm import LigerFusedAddRMSNorm  # written in triton


class ModelNew(LigerFusedAddRMSNorm):
    pass
