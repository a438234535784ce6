# /// script
# dependencies = ["scikit-image==0.26.0", "numpy"]
# ///
"""Structural similarity of two images that share half of their noise: it is at most 1, and an offset of both should hardly matter."""

import numpy as np
from skimage.metrics import structural_similarity

draw = np.random.default_rng(0)
one = draw.normal(size=(40, 36))
two = 0.5 * one + 0.5 * draw.normal(size=one.shape)
print("mean of the images   float32   float64")
worst = 0.0
for mean in (0, 100, 1000, 3000, 10000):
    images = [(mean + image).astype(np.float32) for image in (one, two)]
    found = float(structural_similarity(*images, data_range=8.0))
    wide = float(structural_similarity(*(image.astype(np.float64) for image in images), data_range=8.0))
    worst = max(worst, abs(found - wide))
    print(f"{mean:18}   {found:7.4f}   {wide:7.4f}")
raise SystemExit("no digit is right" if worst > 0.5 else 0)
