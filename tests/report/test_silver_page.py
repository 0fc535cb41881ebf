"""Laws of the page of an adaptation."""

from __future__ import annotations

import io

import pytest

from treevote.adaptation.silver import TAGGERS
from treevote.conll.reader import read
from treevote.report.silver import SHOWN, groups


@pytest.mark.parametrize("n", [1, 11, 12, 13, 23, 24, 25, 100])
def test_quoted_sentences_are_spread_evenly_over_the_text(n: int) -> None:
    sentence = "# source = {}\n# round = 1\n# agreement = 1.0\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    silver = read(io.BytesIO("".join(map(sentence.format, range(n))).encode()))
    (group,) = groups(silver, TAGGERS)
    places = [int(one["source"]) for one in group["quoted"]]
    gaps = [after - before for before, after in zip(places, [*places[1:], n], strict=True)]
    assert (group["sentences"], places[0]) == (n, 0)
    assert len(places) <= SHOWN
    assert 0 < gaps[-1] <= gaps[0]
    assert len(set(gaps[:-1])) <= 1
