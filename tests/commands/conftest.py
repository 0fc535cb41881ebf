"""Kernels are compiled before the first command runs in a process of its own: it would say that it compiles."""

from __future__ import annotations

import pytest

from treevote.commands.warm import warm


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    warm(["lr-svm-forward"])
