"""The distance of two domains: nothing for the same tags, a bit where no tag is common, the mean in between."""

from __future__ import annotations

import pytest

from treevote.adaptation.distance import Profile, distance
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank


def tagged(*tags: str) -> Profile:
    words = [Word(f"w{i}", "_", tag, "_", "_") for i, tag in enumerate(tags)]
    return Profile.of([Treebank.of([(words, [0] * len(words), ["root"] * len(words))])])


@pytest.mark.parametrize(
    ("target", "expected"),
    [(("NOUN", "VERB"), 0.0), (("ADJ", "ADV"), 1.0), (("NOUN", "ADJ"), 0.5)],
)
def test_divergence_of_tags(target: tuple[str, ...], expected: float) -> None:
    assert distance(tagged("NOUN", "VERB"), tagged(*target)).tag_divergence == expected
    assert distance(tagged(*target), tagged("NOUN", "VERB")).tag_divergence == expected
