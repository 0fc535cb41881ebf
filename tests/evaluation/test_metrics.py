"""Counts against a plain twin, rates worked by hand, and messages about sentences that differ."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import metrics as twin
from tests.strategies import LABELS, treebanks, trees
from treevote.corpus.source import Source
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.evaluation.agreement import accuracy_by
from treevote.evaluation.counts import Convention, Counts, evaluate, require_same_sentences

conventions: st.SearchStrategy[Convention] = st.sampled_from(["ud", "conllx"])


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[Treebank, Treebank]:
    """Gold trees, and other trees over the same forms: other tags and labels, unparsed sentences."""
    gold = draw(treebanks())
    parses = []
    for sentence in gold.sentences():
        n = len(sentence.words) - 1
        heads = draw(trees(n, n))[1:].tolist() if draw(st.integers(0, 4)) else [-1] * n
        labels = draw(st.lists(st.sampled_from((*LABELS[::-1], "obj:x", "aux")), min_size=n, max_size=n))
        parses.append(([word._replace(upos="X") for word in sentence.words[1:]], heads, labels))
    return gold, Treebank.of(parses)


@given(comparisons(), conventions, st.booleans())
def test_counts_agree_with_the_twin(pair: tuple[Treebank, Treebank], convention: Convention, punctuation: bool) -> None:
    gold, system = pair
    expected = twin.counts(gold, system, convention, punctuation)
    found = evaluate(gold, system, convention=convention, punctuation=punctuation)
    assert dataclasses.asdict(found) == {name: expected[name] for name in dataclasses.asdict(found)}


@given(comparisons(), conventions, st.booleans(), st.integers(0, 4))
def test_counts_of_parts_add_up(
    pair: tuple[Treebank, Treebank], convention: Convention, punctuation: bool, cut: int
) -> None:
    gold, system = pair
    whole = evaluate(gold, system, convention=convention, punctuation=punctuation)
    parts = Counts()
    for part in (range(gold.n_sentences)[:cut], range(gold.n_sentences)[cut:]):
        parts += evaluate(gold.select(part), system.select(part), convention=convention, punctuation=punctuation)
    assert parts == whole


@given(treebanks(), conventions, st.booleans())
def test_a_tree_against_itself_is_perfect(treebank: Treebank, convention: Convention, punctuation: bool) -> None:
    counts = evaluate(treebank, treebank, convention=convention, punctuation=punctuation)
    rates = [counts.las, counts.uas, counts.label_accuracy, counts.complete, counts.complete_labelled]
    assert rates == [100.0] * 5 or (counts.tokens == 0 and all(map(math.isnan, rates)))
    assert counts.root_accuracy == 100.0 or counts.gold_roots == 0
    assert counts.clas == 100.0 or counts.gold_content == 0


FORMS = ["We", "do", "n't", "eat", "...", "fish", "cake", "s", "!"]
GOLD = Treebank.of(
    [
        (
            FORMS,
            [4, 4, 4, 0, 4, 7, 4, 7, 4],
            ["nsubj:pass", "aux", "advmod", "root", "punct", "compound", "obj", "dep", "punct"],
        ),
        (["Yes", "."], [0, 1], ["root", "punct"]),
        (["?"], [0], ["root"]),
    ],
    name="gold.conllu",
)
SYSTEM = Treebank.of(
    [
        # right but for the subtype | content label for a function word | wrong head | root with wrong label |
        # punctuation wrong | function label for a content word | right | wrong, and a second root | right
        (
            FORMS,
            [4, 4, 2, 0, 7, 7, 4, 0, 4],
            ["nsubj", "obj", "advmod", "xcomp", "punct", "case", "obj", "root", "punct"],
        ),
        (["Yes", "."], [0, 1], ["root", "punct"]),
        (["?"], [-1], ["_"]),
    ],
    name="parse.conllu",
)


def test_the_ud_convention_worked_by_hand() -> None:
    counts = evaluate(GOLD, SYSTEM)
    assert counts == Counts(
        sentences=3,
        tokens=12,
        heads=8,  # all but n't, ..., s, ?
        labels=7,  # We n't ... cake ! Yes .
        arcs=5,  # We cake ! Yes .
        gold_content=8,  # all but do ... ! .
        system_content=7,  # We do n't eat cake s Yes
        content_arcs=3,  # We cake Yes
        gold_roots=3,
        system_roots=3,
        common_roots=2,
        dependencies=9,
        right_dependencies=6,  # We do fish cake ! .
        leaves=9,  # all but eat cake Yes
        right_leaves=5,  # We do fish ! .
        head_sentences=1,
        arc_sentences=1,
    )
    assert (counts.uas, counts.label_accuracy, counts.las) == (100 * 8 / 12, 100 * 7 / 12, 100 * 5 / 12)
    assert counts.clas == pytest.approx(2 / (1 / (3 / 8) + 1 / (3 / 7)) * 100)
    assert counts.root_accuracy == pytest.approx(200 / 3)
    assert (counts.dependency_accuracy, counts.leaf_accuracy) == (100 * 6 / 9, 100 * 5 / 9)
    assert (counts.complete, counts.complete_labelled) == (100 / 3, 100 / 3)


def test_the_conllx_convention_worked_by_hand() -> None:
    counts = evaluate(GOLD, SYSTEM, convention="conllx")
    assert (counts.tokens, counts.heads, counts.labels, counts.arcs) == (
        12,
        8,
        6,
        4,
    )  # without the label of We
    assert (counts.gold_content, counts.system_content) == (0, 0)
    assert math.isnan(counts.clas)
    scored = evaluate(GOLD, SYSTEM, convention="conllx", punctuation=False)  # without ... ! . ?
    assert (scored.sentences, scored.tokens, scored.heads, scored.labels, scored.arcs) == (2, 8, 6, 3, 2)
    assert (scored.gold_roots, scored.system_roots, scored.common_roots) == (2, 3, 2)
    assert (scored.head_sentences, scored.arc_sentences) == (1, 1)


@pytest.mark.parametrize(
    "label", ["aux", "auxpass", "case", "cc", "clf", "cop", "det", "mark", "punct", "aux:pass", "dobj", "_"]
)
def test_clas_counts_content_words_alone(label: str) -> None:
    toy = Treebank.of([(["a", "b"], [2, 0], [label, "root"])])
    assert evaluate(toy, toy).gold_content == 1


def test_rates_without_anything_to_count_are_nan() -> None:
    nothing = evaluate(Treebank.of([]), Treebank.of([]))
    assert nothing == Counts()
    assert all(math.isnan(rate) for rate in (nothing.las, nothing.clas, nothing.root_accuracy, nothing.complete))


@given(comparisons())
def test_accuracy_by_a_column_is_las_on_its_tokens(pair: tuple[Treebank, Treebank]) -> None:
    gold, system = pair
    key = (np.arange(len(gold.tokens)) % 3).astype(np.int32)
    shares = accuracy_by(gold, system, key, 4)
    sizes = np.bincount(key[gold.is_token], minlength=4)
    assert np.isnan(shares).tolist() == (sizes == 0).tolist()
    assert np.nansum(shares * sizes) == pytest.approx(evaluate(gold, system, convention="conllx").arcs)


def test_accuracy_by_part_of_the_forms() -> None:
    key = np.array([0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1], np.int32)  # 1: punctuation
    assert accuracy_by(GOLD, SYSTEM, key, 2).tolist() == [2 / 8, 2 / 4]  # labels count whole


def one(*forms: str, name: str = "") -> Treebank:
    n = len(forms)
    return Treebank.of([(forms, range(n), ["x"] * n)], name)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (["a", "c"], "b.conllu, sentence 1: token 2: expected 'b' as in a.conllu, found 'c'"),
        (["a"], "b.conllu, sentence 1: token 2: expected 'b' as in a.conllu, found the end of the sentence"),
        (
            ["a", "b", "c"],
            "b.conllu, sentence 1: token 3: expected the end of the sentence as in a.conllu, found 'c'",
        ),
    ],
)
def test_the_first_difference_is_shown(system: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(one("a", "b", name="a.conllu"), one(*system, name="b.conllu"))
    assert str(caught.value) == message + "; give the same sentences, with the same tokens, in the same order"


def test_a_difference_in_a_later_sentence_is_found_there() -> None:
    gold = Treebank.concatenate([one("a"), one("b", "c"), one("d")])
    for other, message in [
        (
            [one("a"), one("b"), one("c", "d")],
            "sentence 2: token 2: expected 'c' as in the gold trees, found the end",
        ),
        ([one("a", "a", "b", "c"), one("d")], "sentence 1: token 2: expected the end of the sentence as in"),
        ([one("a"), one("b", "c", "d")], "sentence 2: token 3: expected the end of the sentence as in"),
        ([one("a"), one("b", "c")], "expected 3 sentences as in the gold trees, found 2"),
        ([one("a"), one("b", "c"), one("d"), one("e")], "expected 3 sentences as in the gold trees, found 4"),
        ([], "expected 3 sentences as in the gold trees, found 0"),
    ]:
        with pytest.raises(InputError) as caught:
            require_same_sentences(gold, Treebank.concatenate(other))
        assert str(caught.value).startswith(message)


@given(treebanks(), treebanks())
def test_sentences_are_the_same_if_and_only_if_their_forms_are(one: Treebank, other: Treebank) -> None:
    def forms(treebank: Treebank) -> list[list[str]]:
        return [[word.form for word in sentence.words] for sentence in treebank.sentences()]

    require_same_sentences(one, one)
    if forms(one) == forms(other):
        require_same_sentences(one, other)
    else:
        with pytest.raises(InputError):
            require_same_sentences(one, other)


def test_a_token_called_like_root_is_a_token() -> None:
    split = Treebank.of([(["a"], [0], ["x"]), (["b"], [0], ["x"])])
    with pytest.raises(InputError, match="token 2: expected '<root>' as in the gold trees, found the end"):
        require_same_sentences(one("a", "<root>", "b"), split)


def test_the_place_in_the_file_is_named() -> None:
    toy = Treebank.concatenate([one("a"), one("c")], "b.conllu")
    text = b"# sent_id = s-1\n1\ta\n\n# sent_id = s-2\n# text = c\n1\tc\n"
    line_of = np.array([0, 1, 3, 5], np.int32)
    source = Source("corpus/b.conllu", text, line_of, np.arange(1, 3), "conllu", ((0, "corpus/b.conllu", 11),))
    system = dataclasses.replace(toy, source=source)
    with pytest.raises(InputError, match=r"^corpus/b\.conllu, line 16, sentence s-2: token 1: expected 'b' as in"):
        evaluate(Treebank.concatenate([one("a"), one("b")]), system)
    with pytest.raises(InputError, match=r"^corpus/b\.conllu, line 12, sentence s-1: token 2: expected 'b' as in"):
        evaluate(Treebank.concatenate([one("a", "b"), one("c")]), system)


def test_gold_trees_without_heads_are_refused() -> None:
    gold = Treebank.of([(["a"], [0], ["root"]), (["b", "c"], [0, -1], ["root", "_"])], name="gold.conllu")
    message = r"gold\.conllu, sentence 2: token 2: expected a head for every gold token, found none for 'c'"
    with pytest.raises(InputError, match=message):
        evaluate(gold, gold)
    with pytest.raises(InputError, match=message):
        accuracy_by(gold, gold, gold.tokens, len(gold.words))


def test_the_first_gold_token_without_a_head_is_named() -> None:
    for heads in ([2, -1, 2], [2, -1, -1]):
        gold = Treebank.of([(["a", "b", "c"], heads, ["x"] * 3)])
        with pytest.raises(InputError, match="token 2: expected a head for every gold token, found none for 'b'"):
            evaluate(gold, gold)


@pytest.mark.parametrize("other", [None, 3, b"x", GOLD.sentence(0), [GOLD]], ids=lambda other: type(other).__name__)
def test_what_is_no_treebank_is_told_by_its_type(other: Any) -> None:
    for pair in (other, GOLD), (GOLD, other):
        with pytest.raises(InputError, match=f"expected a Treebank or a path, found {type(other).__name__};"):
            evaluate(*pair)


def test_counts_add_to_counts_alone() -> None:
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'Counts' and 'int'"):
        Counts() + 3  # type: ignore[operator]


def test_an_unknown_convention_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown convention 'conllu'; did you mean 'conllx'"):
        evaluate(GOLD, SYSTEM, convention="conllu")  # type: ignore[arg-type]
