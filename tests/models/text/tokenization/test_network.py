"""The network of the tokenizer: its arithmetic beside that of NumPy."""

from __future__ import annotations

import numpy as np

from treevote.kernels import Floats, kernel
from treevote.models.text.tokenization.network import sigmoid


@kernel
def sigmoids(values: Floats) -> Floats:
    out = np.empty_like(values)
    for i in range(len(values)):
        out[i] = sigmoid(values[i])
    return out


def test_the_series_of_the_sigmoid_is_exact_in_32_bits() -> None:
    values = np.linspace(-40, 40, 4001, dtype=np.float32)
    np.testing.assert_allclose(sigmoids(values), 1 / (1 + np.exp(-values.astype(np.float64))), rtol=1.2e-7)
