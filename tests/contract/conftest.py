"""Each law of the contract is tested on each parser, trained once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.subjects import SUBJECTS, Subject
from tests.reference.toy_parser import TRAINING


@pytest.fixture(scope="session", params=SUBJECTS)
def subject(request: pytest.FixtureRequest) -> Subject:
    """Return a trainer and its class of parsers."""
    return SUBJECTS[request.param]


@pytest.fixture(scope="session")
def parser(subject: Subject) -> Any:
    """Return a parser that was trained on the toy grammar."""
    return subject.train(TRAINING, seed=3)
