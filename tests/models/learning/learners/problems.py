"""Small problems of classification, and what no online learner keeps of scikit-learn's contract."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from treevote.kernels import Floats, Longs

_REASON = "an online learner takes a heavy row in one step, and repeated rows in several"
EXPECTED_FAILURES = {f"check_sample_weight_equivalence_on_{kind}_data": _REASON for kind in ("dense", "sparse")}


def problem(seed: int, n: int, n_classes: int, n_features: int = 6) -> tuple[Floats, Longs, Floats]:
    """Return rows with zeros in them, classes that all occur, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.6)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    weights = rng.choice([0.25, 1.0, 2.0], n)
    return X.astype(np.float32), rng.permutation(y), weights.astype(np.float32)


problems = st.builds(problem, st.integers(0, 10_000), st.integers(8, 25), st.integers(2, 6))
