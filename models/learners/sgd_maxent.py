"""draft"""
from __future__ import annotations
import numpy as np
from treevote.kernels import kernel

@kernel
def sgd(indptr, indices, y, order, W, U, b, ub, t0, rate, decay, l2):
    K = W.shape[1]
    p = np.empty(K, np.float32)
    t = t0
    loss = 0.0
    for i in order:
        s, e = indptr[i], indptr[i + 1]
        p[:] = b
        for j in range(s, e):
            w = W[indices[j]]
            for k in range(K):
                p[k] += w[k]
        m = p[0]
        for k in range(1, K):
            if p[k] > m: m = p[k]
        z = np.float32(0)
        for k in range(K):
            p[k] = np.exp(p[k] - m)
            z += p[k]
        gold = y[i]
        for k in range(K):
            p[k] /= z
        loss -= np.log(max(p[gold], 1e-12))
        t += 1
        if p[gold] > 0.9995:
            continue
        eta = np.float32(rate / (1 + decay * t))
        for k in range(K):
            g = p[k] - (np.float32(1) if k == gold else np.float32(0))
            p[k] = -eta * g if abs(g) > 1e-3 else np.float32(0)
        n = 0
        ft = np.float32(t)
        for k in range(K):
            b[k] += p[k]; ub[k] += ft * p[k]
        for k in range(K):
            if p[k] != 0: n += 1
        if n * 4 < K:
            nz = np.flatnonzero(p)
            for j in range(s, e):
                f = indices[j]
                for k in nz:
                    W[f, k] += p[k]
                    U[f, k] += ft * p[k]
        else:
            for j in range(s, e):
                f = indices[j]
                w = W[f]; u = U[f]
                for k in range(K):
                    w[k] += p[k]
                    u[k] += ft * p[k]
    return t, loss

@kernel
def pa(indptr, indices, y, order, W, U, b, ub, t0, C):
    K = W.shape[1]
    p = np.empty(K, np.float32)
    t = t0
    loss = 0.0
    for i in order:
        s, e = indptr[i], indptr[i + 1]
        p[:] = b
        for j in range(s, e):
            w = W[indices[j]]
            for k in range(K):
                p[k] += w[k]
        gold = y[i]
        r = -1
        for k in range(K):
            if k != gold and (r < 0 or p[k] > p[r]): r = k
        h = np.float32(1) - p[gold] + p[r]
        t += 1
        if h > 0:
            loss += 1 if h > 1 else 0
            tau = min(np.float32(C), h / np.float32(2 * (e - s + 1)))
            ft = np.float32(t) * tau
            b[gold] += tau; b[r] -= tau; ub[gold] += ft; ub[r] -= ft
            for j in range(s, e):
                f = indices[j]
                W[f, gold] += tau; W[f, r] -= tau
                U[f, gold] += ft; U[f, r] -= ft
    return t, loss
