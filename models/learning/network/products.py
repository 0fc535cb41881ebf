"""Products of matrices whose sums have a fixed order.

Libraries of linear algebra add in an order that depends on the shapes, the machine and the number of threads. Here each
element of a product is a sum in the order of the inner dimension, with a rounding after each multiplication and each
addition. So a row of a product depends on that row of the first factor alone: a sentence has the same scores by itself
and in any batch, on any machine. Four rows at a time go through four columns of the first factor, which keeps the
second in the cache.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treevote.kernels import Floats, kernel

WIDTH = 512  # columns of the second factor at a time: four rows of them fit the first level of the cache


@kernel
def add_product(a: Floats, b: Floats, c: Floats) -> None:
    """Add the product of matrices of shapes (n, k) and (k, m) to ``c``, shape (n, m); all are in C order."""
    n_rows, n_columns = len(a), b.shape[1]
    for begin in range(0, n_columns, WIDTH):
        end = min(n_columns, begin + WIDTH)
        row = 0
        while row + 4 <= n_rows:
            _add_four_rows(a[row : row + 4], b, begin, end, c[row : row + 4])
            row += 4
        while row < n_rows:
            add_row(a[row], b, begin, end, c[row])
            row += 1


@kernel
def _add_four_rows(a: Floats, b: Floats, begin: int, end: int, c: Floats) -> None:
    """Add four rows of a product, from column ``begin`` to ``end``."""
    n, k = b.shape[0], 0
    c0, c1, c2, c3 = c[0, begin:end], c[1, begin:end], c[2, begin:end], c[3, begin:end]
    while k + 4 <= n:
        b0, b1, b2, b3 = b[k, begin:end], b[k + 1, begin:end], b[k + 2, begin:end], b[k + 3, begin:end]
        a00, a01, a02, a03 = a[0, k], a[0, k + 1], a[0, k + 2], a[0, k + 3]
        a10, a11, a12, a13 = a[1, k], a[1, k + 1], a[1, k + 2], a[1, k + 3]
        a20, a21, a22, a23 = a[2, k], a[2, k + 1], a[2, k + 2], a[2, k + 3]
        a30, a31, a32, a33 = a[3, k], a[3, k + 1], a[3, k + 2], a[3, k + 3]
        for j in range(end - begin):
            x0, x1, x2, x3 = b0[j], b1[j], b2[j], b3[j]
            c0[j] = (((c0[j] + a00 * x0) + a01 * x1) + a02 * x2) + a03 * x3
            c1[j] = (((c1[j] + a10 * x0) + a11 * x1) + a12 * x2) + a13 * x3
            c2[j] = (((c2[j] + a20 * x0) + a21 * x1) + a22 * x2) + a23 * x3
            c3[j] = (((c3[j] + a30 * x0) + a31 * x1) + a32 * x2) + a33 * x3
        k += 4
    while k < n:
        b0 = b[k, begin:end]
        a00, a10, a20, a30 = a[0, k], a[1, k], a[2, k], a[3, k]
        for j in range(end - begin):
            c0[j] += a00 * b0[j]
            c1[j] += a10 * b0[j]
            c2[j] += a20 * b0[j]
            c3[j] += a30 * b0[j]
        k += 1


@kernel
def add_row(a: Floats, b: Floats, begin: int, end: int, c: Floats) -> None:
    """Add columns ``begin:end`` of one row of a product, with the sums of `_add_four_rows`."""
    n, k, own = b.shape[0], 0, c[begin:end]
    while k + 4 <= n:
        b0, b1, b2, b3 = b[k, begin:end], b[k + 1, begin:end], b[k + 2, begin:end], b[k + 3, begin:end]
        a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
        for j in range(end - begin):
            own[j] = (((own[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j]
        k += 4
    while k < n:
        b0, a0 = b[k, begin:end], a[k]
        for j in range(end - begin):
            own[j] += a0 * b0[j]
        k += 1


def product(a: Floats, b: Floats) -> Floats:
    """Return the product of two matrices in any order; see `add_product`."""
    c = np.zeros((len(a), b.shape[1]), np.float32)
    add_product(np.ascontiguousarray(a), np.ascontiguousarray(b), c)
    return c


def affine(x: Floats, weights: Floats, bias: Floats) -> Floats:
    """Return rows times weights, shape (k, m), plus a bias, shape (m,); the bias is the first term of each sum."""
    y = np.repeat(bias[None], len(x), 0)
    add_product(x, weights, y)
    return y


def affine_back(p: Mapping[str, Floats], d: Mapping[str, Floats], name: str, x: Floats, dy: Floats) -> Floats:
    """Add the derivatives of the weights and the bias of `affine` to ``d``, and return those of ``x``."""
    add_product(np.ascontiguousarray(x.T), dy, d[name])
    d[f"{name}-bias"][:] += dy.sum(0)
    return product(dy, p[name].T)
