"""Warnings about trees outside the guidelines of Universal Dependencies."""

from __future__ import annotations

from pathlib import Path

import treevote
from treevote.conll.guidelines import departures, missing_columns
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank


def test_the_number_of_further_labels_has_no_plural() -> None:
    treebank = Treebank.of([(["a"] * 6, [0, 1, 1, 1, 1, 1], [f"y{i}" for i in range(6)])])
    assert "y4 (1) and 1 more, first" in next(departures(treebank))


def test_the_first_place_is_a_line_of_its_file(tmp_path: Path) -> None:
    good, odd = tmp_path / "good.conllu", tmp_path / "odd.conllu"
    good.write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    odd.write_text(f"# sent_id = s\n{good.read_text().replace('root', 'odd')}")
    assert next(departures(treevote.read(odd))).endswith(": odd (1), first in line 2")
    assert next(departures(treevote.read([good, odd]))).endswith(f": odd (1), first in line 2 of {odd}")


def test_universal_tags_in_small_letters_are_told_and_other_tag_sets_are_not(tmp_path: Path) -> None:
    small, other = tmp_path / "small.conllu", tmp_path / "other.conllu"
    small.write_text("# sent_id = s\n1\ta\t_\tnoun\t_\t_\t0\troot\t_\t_\n\n")
    other.write_text(small.read_text().replace("noun", "NN"))
    assert [line.rpartition(": ")[2] for line in departures(treevote.read(small))] == ["noun (1), first in line 2"]
    assert not [*departures(treevote.read(other))]


def test_a_column_that_one_treebank_has_and_the_other_has_not_is_told() -> None:
    tagged = Treebank.of([([Word("a", "b", "NOUN", "N", "_")] * 3, [0, 1, 1], ["root", "x", "x"])], "tagged")
    bare = Treebank.of([([Word("a", "b", "_", "N", "_")] * 3, [0, 1, 1], ["root", "x", "x"])], "bare")
    assert [*missing_columns(tagged, tagged)] == [*missing_columns(bare, bare)] == []
    (low,), (unlearned,) = missing_columns(bare, tagged), missing_columns(tagged, bare)
    assert low.startswith("bare: no word has UPOS, and 100% of the training data have: its scores are too low;")
    assert unlearned.startswith(
        "tagged: 100% of the words have UPOS, and none of the training data: nothing learns it;"
    )
    assert not [*missing_columns(Treebank.of([], "nothing"), Treebank.of([]))]
