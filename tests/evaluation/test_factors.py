"""Factors: the bins of numbers, arcs of what is no tree, documents and domains."""

from __future__ import annotations

import io
import string

import numpy as np
import pytest

from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.evaluation.factors import (
    Values,
    crossing,
    depth,
    documents,
    domains,
    factors,
    length,
    sentence_length,
)


def chain(n: int) -> Treebank:
    """Return a sentence in which each word has the one before as its head."""
    return Treebank.of([(["w"] * n, range(n), ["x"] * n)])


def test_a_number_is_in_the_bin_that_is_named_after_it() -> None:
    def agree(found: Values, numbers: list[int]) -> bool:
        names = [found.names[value] for value in found.column.tolist() if value >= 0]
        return len(names) == len(numbers) and all(map(holds, names, numbers))

    def holds(name: str, number: int) -> bool:
        first, _, last = name.removeprefix(">").partition("-")
        return number > int(first) if name.startswith(">") else int(first) <= number <= int(last or first)

    n = 40
    flat = Treebank.of([(["w"] * n, [0] + [1] * (n - 1), ["x"] * n)])
    distances = length(flat)
    assert distances.names[distances.column[1]] == "ROOT"
    distances.column[1] = -1
    assert agree(distances, list(range(1, n)))
    assert agree(depth(chain(n)), list(range(1, n + 1)))
    lengths = Treebank.concatenate([chain(n) for n in range(1, 40)])
    for ends in ([1], [3, 4], [5, 10, 20, 30]):
        assert agree(sentence_length(lengths, ends), np.repeat(lengths.lengths, lengths.lengths).tolist())


def test_lengths_are_in_the_bins_of_chang_do_and_roth() -> None:
    gold = Treebank.concatenate([chain(n) for n in (1, 10, 11, 20, 21, 30, 31, 40, 41, 90)])
    (factor,) = [factor for factor in factors(gold, convention="ud") if factor.name == "sentence length"]
    names, column = factor.values(gold)
    found = [names[value] for value in column[gold.offsets[1:] - 1].tolist()]
    assert found == [name for name in ("1-10", "11-20", "21-30", "31-40", ">40") for _ in range(2)]


def test_words_of_sentences_that_were_left_out_are_unknown() -> None:
    gold = Treebank.of([([form], [0], ["root"]) for form in ("a", "b")])
    *_, factor = factors(gold, convention="ud", training=gold.select([1]))
    names, column = factor.values(gold)
    assert [names[value] for value in column[gold.is_token].tolist()] == ["unknown", "known"]


def test_arcs_of_no_tree_have_no_depth_and_are_not_asked_whether_they_are_projective() -> None:
    broken = Treebank.of([(list("abcdef"), [2, 1, 0, 3, -1, 5], list("uvwxyz")), (["a", "b"], [2, 0], ["x", "y"])])
    assert depth(broken).column.tolist() == [-1, -1, -1, 0, 1, -1, -1, -1, 1, 0]
    assert crossing(broken).column.tolist() == [-1] * 7 + [-1, 0, 0]
    assert length(broken).column.tolist() == [-1, 1, 1, 0, 1, -1, 1, -1, 1, 0]


def sentence(*comments: str) -> str:
    return "\n".join([*comments, "1\ta" + "\t_" * 4 + "\t0\troot\t_\t_", "", ""])


def with_comments(*sentences: str) -> Treebank:
    return read(io.BytesIO("".join(sentences).encode()), format="conllu")


LETTERS = string.ascii_letters


def test_documents_and_domains_by_comments() -> None:
    gold = with_comments(
        sentence("# sent_id = 1"),
        sentence("# newdoc id = one", "# meta::genre = news"),
        sentence("# text = a"),
        sentence("# newdoc", "# genre = blog"),
        sentence("# newdoc id = last"),
    )
    assert documents(gold) == ["(before the first)", "one", "one", "document 2", "last"]
    assert domains(gold) == ["(no domain)", "news", "news", "blog", "(no domain)"]
    names = [one.name for one in factors(gold, convention="ud")]
    assert names[-2:] == ["document", "domain"]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["weblog-a-01", "email-b_02", "weblog-c"], ["weblog", "email", "weblog"]),
        (["GUM_bio_x-1", "GUM_news_y-2"], ["GUM-bio", "GUM-news"]),
        (["s1", "s2", "s3"], None),
        (["test-s1", "test-s2"], None),
        (["1", "2"], None),
        (["a1", "", "b1"], None),
        ([f"{letter}x-1" for letter in LETTERS[:50]], [f"{letter}x" for letter in LETTERS[:50]]),
        ([f"{letter}x-1" for letter in LETTERS[:51]], None),
    ],
)
def test_domains_by_the_names_of_sentences(ids: list[str], expected: list[str] | None) -> None:
    assert domains(with_comments(*(sentence(f"# sent_id = {name}") for name in ids))) == expected
