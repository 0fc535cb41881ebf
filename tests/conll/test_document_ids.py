"""Ids of documents: one for each file, none twice, without white space and slashes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from treevote.conll.corpora import document_ids

NAMES = st.lists(st.text("ab-2/. ", min_size=1, max_size=6).filter(lambda name: name.strip("/ ")), max_size=6)


@given(NAMES)
def test_no_id_is_there_twice(names: list[str]) -> None:
    found = document_ids([*names, "b.txt"])
    assert len({*found}) == len(found) == len(names) + 1
    assert not any(re.search(r"[\s/]", each) for each in found)
