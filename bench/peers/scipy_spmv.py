#!/usr/bin/env python3
"""SciPy's y = A x, double: one line 'NAME MS' a file. Files: what `nz convert INPUT -o FILE.npz` writes."""
import statistics
import sys
import time

import numpy
import scipy.sparse

for path in sys.argv[1:]:
    a = scipy.sparse.load_npz(path).tocsr().astype(numpy.float64)
    x = numpy.random.default_rng(1).random(a.shape[1])
    times = []
    for _ in range(16):
        start = time.perf_counter()
        a @ x
        times.append((time.perf_counter() - start) * 1e3)
    print(path, f"{statistics.median(times[1:]):.3f}")
