import numpy as np

generator = np.random.default_rng(0)
A = generator.standard_normal((16, 512), dtype=np.float32)
B = generator.standard_normal((512, 8), dtype=np.float32)
exact = A.astype(np.float64) @ B.astype(np.float64)

np.save("actual.npy", sum(A[:, k : k + 64] @ B[k : k + 64] for k in range(0, 512, 64)))  # in blocks of 64
np.save("expected.npy", A @ B)
np.save("exact.npy", exact)
np.save("scale.npy", np.abs(A) @ np.abs(B))  # |A||B|, what error bounds of a product are written in
