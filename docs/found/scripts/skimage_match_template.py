# /// script
# dependencies = ["scikit-image==0.26.0", "numpy"]
# ///
"""A template cut from row 10, column 10 of an image, in float32: where it is found, and how well it matches there and at most (1 is perfect)."""

import numpy as np
from skimage.feature import match_template

noise = np.random.default_rng(0).normal(size=(40, 36))
print("mean of the image   found at   there, float32   at most, float32   there, float64")
worst = 0.0
for mean in (0, 100, 1000, 3000, 10000):
    image = (mean + noise).astype(np.float32)
    found = match_template(image, image[10:15, 10:15])
    wide = match_template(image.astype(np.float64), image[10:15, 10:15].astype(np.float64))
    place = tuple(map(int, np.unravel_index(found.argmax(), found.shape)))
    worst = max(worst, float(found.max()))
    print(f"{mean:17}   {place!s:9}  {found[10, 10]:14.3f}   {found.max():16.3f}   {wide[10, 10]:14.3f}")
raise SystemExit("a match better than perfect" if worst > 1.1 else 0)
