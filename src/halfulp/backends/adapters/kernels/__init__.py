"""Kernels of our own for backends that are languages: OpenCL C, and Triton."""
