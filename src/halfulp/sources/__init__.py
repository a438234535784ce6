"""Sources: what was given on the command line, as two sides and their inputs.

Case files, functions by name, expressions, ONNX files, stored results, traces. To read two files of tensors, nothing is needed that runs
functions: each name is imported from its own file.
"""
