"""Long short-term memory (Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000), in one direction.

For a step with input ``x``, and ``h``, ``c`` of the step before::

    i, f, o = logistic(W x + U h + b), three gates        g = tanh(W x + U h + b), the candidate
    c' = f c + i g                                        h' = o tanh(c')

Sentences of a batch are sorted by length, the longest first, and the rows of a step are those of the sentences that
reach it: the rows of step ``t`` are ``starts[t] : starts[t + 1]``, and row ``starts[t] + b`` is that of sentence ``b``.
So there is no padding, in either direction. A mask drops recurrent units, the same at all steps of a sentence (Gal &
Ghahramani 2016, "A theoretically grounded application of dropout in recurrent neural networks").
"""

from __future__ import annotations

import numpy as np

from treevote.kernels import Floats, Longs, kernel
from treevote.models.learning.network.activations import logistic, tanh
from treevote.models.learning.network.products import add_product


@kernel
def step_of(number: int, starts: Longs, backward: bool) -> tuple[int, int, int, int]:
    """Return the first row and the number of rows of a step, and those of the step before that go on in it."""
    last = len(starts) - 2
    t = last - number if backward else number
    first, n_rows = starts[t], starts[t + 1] - starts[t]
    if number == 0:
        return first, n_rows, 0, 0
    before = t + 1 if backward else t - 1
    return first, n_rows, starts[before], min(n_rows, starts[before + 1] - starts[before])


@kernel
def run(
    z: Floats, recurrent: Floats, starts: Longs, backward: bool, mask: Floats, h: Floats, c: Floats, before: Floats
) -> None:
    """Run over all steps, from the last to the first if ``backward``.

    ``z``, shape (n_rows, 4 * n), has W x + b and receives i, f, o and g. ``recurrent`` is U, shape (n, 4 * n), and
    ``mask`` has a row for each sentence. ``h`` and ``c``, shape (n_rows, n), receive the states; ``before``, which is
    zero, receives the masked h of the step before.
    """
    n = h.shape[1]
    for number in range(len(starts) - 1):
        first, n_rows, earlier, n_carried = step_of(number, starts, backward)
        for i in range(n_carried):
            for j in range(n):
                before[first + i, j] = h[earlier + i, j] * mask[i, j]
        add_product(before[first : first + n_carried], recurrent, z[first : first + n_carried])
        for i in range(n_rows):
            row = first + i
            gates, candidates = z[row, : 3 * n], z[row, 3 * n :]
            states, outputs = c[row], h[row]
            for j in range(3 * n):
                gates[j] = logistic(gates[j])
            for j in range(n):
                candidates[j] = tanh(candidates[j])
            inputs, forget, output = gates[:n], gates[n : 2 * n], gates[2 * n :]
            if i < n_carried:
                old = c[earlier + i]
                for j in range(n):
                    states[j] = forget[j] * old[j] + inputs[j] * candidates[j]
            else:
                for j in range(n):
                    states[j] = inputs[j] * candidates[j]
            for j in range(n):
                outputs[j] = output[j] * tanh(states[j])


@kernel
def run_back(dh: Floats, z: Floats, transposed: Floats, starts: Longs, backward: bool, mask: Floats, c: Floats) -> None:
    """Turn ``z``, as `run` left it, into the derivatives of W x + b; ``transposed`` is U transposed.

    ``dh``, shape (n_rows, n), has the derivatives of the outputs, and receives what later steps add to them.
    """
    n, one = dh.shape[1], np.float32(1.0)
    dc = np.zeros_like(dh)
    for number in range(len(starts) - 2, -1, -1):
        first, n_rows, earlier, n_carried = step_of(number, starts, backward)
        for k in range(n_rows):
            row = first + k
            own, state, d_output, d_state = z[row], c[row], dh[row], dc[row]
            i, f, o, g = own[:n], own[n : 2 * n], own[2 * n : 3 * n], own[3 * n :]
            for j in range(n):
                squashed = tanh(state[j])
                d = d_state[j] + d_output[j] * o[j] * (one - squashed * squashed)
                d_gate = d_output[j] * squashed * o[j] * (one - o[j])
                d_candidate = d * i[j] * (one - g[j] * g[j])
                i[j] = d * g[j] * i[j] * (one - i[j])
                o[j], g[j], d_state[j] = d_gate, d_candidate, d
            if k < n_carried:
                old, d_old = c[earlier + k], dc[earlier + k]
                for j in range(n):
                    d_old[j] += d_state[j] * f[j]
                    f[j] = d_state[j] * old[j] * f[j] * (one - f[j])
            else:
                for j in range(n):
                    f[j] = np.float32(0.0)
        if n_carried > 0:
            carried = np.zeros((n_carried, n), dh.dtype)
            add_product(z[first : first + n_carried], transposed, carried)
            for k in range(n_carried):
                for j in range(n):
                    dh[earlier + k, j] += carried[k, j] * mask[k, j]
