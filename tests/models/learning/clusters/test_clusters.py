"""Clusters of words: induction, files, and what a word without one is."""

from __future__ import annotations

import io
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.models.learning.clusters.clusters import LENGTHS, NAMES, NONE, Clusters
from treevote.models.learning.clusters.files import read_clusters, write_clusters
from treevote.models.learning.clusters.induction import cluster_vectors, induce
from treevote.models.learning.vectors import bigrams
from treevote.models.learning.vectors.files import LONGEST_LINE
from treevote.store.record import Record, write_record

TEXT = toy_treebank(60, seed=3)

words = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=6)
clusterings = st.dictionaries(words, st.text("01", min_size=1, max_size=9), min_size=1, max_size=9).map(
    lambda paths: Clusters(tuple(paths), tuple(paths.values()))
)


@given(clusterings)
def test_writing_and_reading_is_the_identity(clusters: Clusters) -> None:
    counts = np.arange(len(clusters.words))
    out = io.BytesIO()
    for word, path, count in zip(clusters.words, clusters.paths, counts.tolist(), strict=True):
        out.write(f"{path}\t{word}\t{count}\n".encode())
    out.seek(0)
    assert read_clusters(out) == clusters  # type: ignore[arg-type]


def test_a_written_file_is_read(tmp_path: Path) -> None:
    clusters, counts, _ = induce([TEXT], n_classes=4)
    write_clusters(clusters, counts, tmp_path / "paths")
    assert read_clusters(tmp_path / "paths") == clusters
    assert (tmp_path / "paths").read_text("utf-8").count("\n") == len(clusters.words)


def test_a_word_too_long_to_be_read_again_is_not_written(tmp_path: Path) -> None:
    clusters = Clusters(("a", "é" * LONGEST_LINE, "b"), ("0", "10", "11"))
    assert write_clusters(clusters, np.array([9, 5, 3]), tmp_path / "paths") == 2
    assert read_clusters(tmp_path / "paths").words == ("a", "b")


@given(clusterings, words)
def test_prefixes_of_paths_are_the_clusters(clusters: Clusters, other: str) -> None:
    for form in (*clusters.words, other):
        *prefixes, path = clusters.of(form)
        assert prefixes == [path[:length] for length in LENGTHS]
        assert len(clusters.feats(form)) == (len(NAMES) if path else 0)
        assert (path != "") == (form in clusters.words or form.lower() in clusters.words)
    assert Clusters.from_texts(clusters.texts()) == clusters
    assert Clusters.from_texts({}) == NONE


@pytest.mark.parametrize(
    ("own", "paths"), [(["a", "a"], ["0", "1"]), (["a"], ["02"]), (["a"], [""]), (["a"], ["0", "1"])]
)
def test_clusters_with_a_fault_are_refused(own: list[str], paths: list[str]) -> None:
    with pytest.raises(ValueError, match=r"path|twice"):
        Clusters(tuple(own), tuple(paths))


@given(st.lists(st.integers(1, 20), max_size=5), st.integers(1, 40))
def test_clusters_do_not_depend_on_the_parts_of_the_text(cuts: list[int], pending: int) -> None:
    ends = sorted({0, TEXT.n_sentences, *(min(cut * 3, TEXT.n_sentences) for cut in cuts)})
    parts = [TEXT.select(range(a, b)) for a, b in itertools.pairwise(ends)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bigrams, "_PENDING", pending)
        cut, counts, n_tokens = induce(parts, n_classes=3, least=1)
    whole, expected, _ = induce([TEXT], n_classes=3, least=1)
    assert cut == whole
    assert np.array_equal(counts, expected)
    assert n_tokens == TEXT.n_tokens


def test_words_of_a_kind_are_in_a_class() -> None:
    kinds = [["dog", "cat", "cow"], ["sees", "hears", "eats"], ["the", "a", "this"]]
    rng = np.random.default_rng(0)
    text = []
    for _ in range(400):
        nouns, verbs, articles = (rng.choice(kind, 2).tolist() for kind in kinds)
        sentence = [articles[0], nouns[0], verbs[0], articles[1], nouns[1]]
        text.append((sentence, [2, 3, 0, 5, 3], ["x"] * 5))
    clusters, *_ = induce([Treebank.of(text)], n_classes=3)
    assert sorted(len({clusters.of(word) for word in kind}) for kind in kinds) == [1, 1, 1]
    assert len(set(clusters.paths)) == 3


def test_numbers_out_of_range_and_empty_texts_are_refused() -> None:
    with pytest.raises(ConfigError, match="classes"):
        induce([TEXT], n_classes=0)
    with pytest.raises(ConfigError, match="least"):
        induce([TEXT], least=0)
    with pytest.raises(InputError, match="1,000 times, found none; give more text, or lower --least"):
        induce([TEXT], least=1000)
    with pytest.raises(InputError, match=r"once, found none; give more text$"):
        induce([], least=1)


VECTORS = "dog 1 0.1 0\ncat 1 0.2 0\nsees 0 1 0.1\nhears 0.1 1 0\ndog 5 5 5\n"


@pytest.mark.parametrize("head", ["", "4 3\n"])
def test_vectors_become_clusters(tmp_path: Path, head: str) -> None:
    (tmp_path / "v.vec").write_text(head + VECTORS, "utf-8")
    clusters = read_clusters(tmp_path / "v.vec", n_classes=2)
    assert clusters.words == ("dog", "cat", "sees", "hears")
    assert clusters.of("dog") == clusters.of("cat") != clusters.of("sees") == clusters.of("hears")
    assert 2 < len(set(read_clusters(tmp_path / "v.vec").paths)) <= 4


@pytest.mark.parametrize("seed", range(8))
def test_two_centres_at_right_angles_are_not_taken_for_distances(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # SciPy warns of centres that look like distances
        clusters = cluster_vectors(["dog", "sees"], np.eye(2, dtype=np.float32), seed=seed)
    assert sorted(clusters.paths) == ["0", "1"]


def test_equal_vectors_are_one_class(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("a 0 0\nb 0 0\n", "utf-8")
    assert read_clusters(tmp_path / "v.vec").paths == ("0", "0")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found nothing"),
        ("\n\n", "found nothing"),
        ("2 3\n", "found 0"),
        ("0101\tdog\t3\n01x\tcat\t1\n", "line 2: expected a path of zeros and ones"),
        ("0101\tdog\n0101\n", "line 2: expected a path"),
        ("dog 1 2\ncat 1\n", "line 2: expected a word and 2 numbers, found 'cat 1'"),
        ("dog 1 nan\n", "line 1: expected finite numbers for the word 'dog'"),
        ("\n2 2\n\ndog 1 2\ncat 1 nan\n", "line 5: expected finite numbers for the word 'cat'"),
        ("\n\ndog 1 2\ncat 1\n", "line 4: expected a word and 2 numbers, found 'cat 1'"),
        ("dog 1 inf\n", "expected finite numbers for the word 'dog'"),
        ("dog 1 1e300\n", "expected finite numbers for the word 'dog'"),
        ("dog\n", "expected word vectors of 1 to 2,000 dimensions, found 0"),
        (f"{'9' * 5000} {'9' * 5000}\n", "expected finite numbers"),
        ("dog " + "1 " * 3000, "found 3,000"),
        ("x" * (1 << 17), "found 0"),
        ("0\t" + "x" * (1 << 17), "line 1: expected a path"),
    ],
)
def test_files_with_a_fault_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "clusters"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"clusters") as caught:
        read_clusters(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["0101\tdog\t3\n10\tcat\t1\n", "2 2\ndog 1 0\ncat 0 1\n"])
def test_byte_order_marks_and_ends_of_lines_do_not_matter(tmp_path: Path, text: str) -> None:
    path = tmp_path / "clusters"
    path.write_bytes(text.encode())
    clusters = read_clusters(path)
    for other in (text.replace("\n", "\r\n"), text.replace("\n", "\n\n"), text.removesuffix("\n")):
        path.write_bytes(f"\ufeff{other}".encode())
        assert read_clusters(path) == clusters


@pytest.mark.parametrize("text", [b"0101\td\xffg\n10\tcat\n", b"d\xffg 1 0\ncat 0 1\n"])
def test_words_that_are_not_utf_8_can_be_kept_in_a_model(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "clusters").write_bytes(text)
    clusters = read_clusters(tmp_path / "clusters")
    write_record(Record("tagger", texts=clusters.texts()), tmp_path)
    assert clusters.words == ("d\ufffdg", "cat")


def test_too_many_words_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["treevote.models.learning.clusters.files"], "MAX_WORDS", 2)
    (tmp_path / "clusters").write_text("0\ta\n0\tb\n1\tc\n", "utf-8")
    with pytest.raises(InputError, match=r"line 3: expected at most 2 words"):
        read_clusters(tmp_path / "clusters")
    (tmp_path / "clusters").write_text("a 1 1\nb 1 2\nc 1 3\n", "utf-8")
    assert read_clusters(tmp_path / "clusters").words == ("a", "b")
