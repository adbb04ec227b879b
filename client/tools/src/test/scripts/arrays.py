"""Writes the arrays of the tests, with NumPy: arrays.py <folder>."""

import sys

import numpy as np

folder = sys.argv[1]
six = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
np.savez(
    f"{folder}/arrays.npz",
    f2=(six / 2).astype(np.float16),
    f8=np.array([[0.1, 0.2], [np.nan, 1e300], [-0.0, 3]]),
    fortran=np.asfortranarray(six),
    big=six.astype(">f4"),
    narrowed=np.array([0.1, 0.2, 0.3]),
    i8=np.array([np.iinfo(np.int64).min, 0, np.iinfo(np.int64).max]),
    u8=np.array([0, 1, np.iinfo(np.uint64).max], dtype=np.uint64),
    i1=np.array([-128, 0, 127], dtype=np.int8),
    b1=np.array([True, False, True]),
    text=np.array(["Zürich", "", "𝄞"]),
    bytes=np.array([b"a", b"bc", b""]),
)
np.save(f"{folder}/whole.npy", np.array([[0.5, 1, 2], [3, 4, 5]]))
np.save(f"{folder}/objects.npy", np.array(["a", None], dtype=object))
np.save(f"{folder}/record.npy", np.array([(1.0, 2)], dtype=[("a", "<f4"), ("b", "<i8")]))
