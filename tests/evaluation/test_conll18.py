"""The CoNLL 2018 figures: against a plain twin on texts cut in all ways, against the official scorer, by hand."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import TOY
from tests.reference import conll18 as twin
from tests.reference.planted_errors import plant
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.errors import InputError
from treevote.evaluation import alignment
from treevote.evaluation.alignment import align, project
from treevote.evaluation.counts import require_same_sentences
from treevote.evaluation.scores import Scores, count_scores
from treevote.evaluation.surface import multiword_tokens
from treevote.kernels import Kernel

LABELS = ("nsubj", "obl:arg", "root", "case", "det", "aux:pass", "punct", "dobj", "_")
FEATS = ("_", "Case=Nom", "InfForm=1|Case=Nom", "Number=Sing")


def conllu(text: str) -> Treebank:
    """Read a text whose heads may be anything."""
    return read(io.BytesIO(text.encode()), format="conllu", trees="optional")


def score(gold: Treebank, system: Treebank, *, punctuation: bool = True) -> Scores:
    alignment = align(gold, system)
    return count_scores(gold, system, alignment, project(gold, system, alignment), punctuation=punctuation)


def sums(scores: Scores) -> dict[str, tuple[int, ...]]:
    return {name: tuple(counts.sum(axis=0).tolist()) for name, counts in scores.items()}


def ranges(treebank: Treebank) -> list[list[tuple[int, int, str]]]:
    """Return the ranges by sentence, counted from 1."""
    found: list[list[tuple[int, int, str]]] = [[] for _ in range(treebank.n_sentences)]
    for first, last, form in multiword_tokens(treebank):
        i = int((treebank.offsets <= first).sum()) - 1
        start = int(treebank.offsets[i])
        found[i].append((first - start, last - start, form))
    return found


def cut(units: list[str], rng: np.random.Generator, known: bool) -> str:
    """Cut a text into sentences, tokens and words, with any heads."""
    lines: list[str] = []
    sentence: list[tuple[str, list[str]]] = []
    start = 0
    for end in range(1, len(units) + 1):
        if end < len(units) and rng.random() < 0.4:
            continue
        parts = [unit + mark for unit in units[start:end] for mark in ("1", "2", "É", "é")]  # of this token alone
        words = rng.choice(parts, rng.integers(1, 5)).tolist() if rng.random() < 0.3 else []
        sentence.append(("".join(units[start:end]), words))
        start = end
        if end == len(units) or rng.random() < 0.2:
            n, at = sum(len(words) or 1 for _, words in sentence), 0
            for form, words in sentence:
                if words:
                    lines.append("\t".join([f"{at + 1}-{at + len(words)}", form, *"_" * 8]))
                for word in words or [form]:
                    at += 1
                    head = int(rng.integers(0 if known else -1, n + 1))
                    columns = [
                        str(rng.choice(values)) for values in (["l", "_"], ["N", "V"], ["x", "_"], FEATS, LABELS)
                    ]
                    columns = [*(columns[:4]), "_" if head < 0 else str(head), columns[4]]
                    lines.append("\t".join([str(at), word, *columns, "_", "_"]))
            lines.append("")
            sentence = []
    return "\n".join(lines) + "\n"


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Treebank, Treebank]:
    """A short text of distinct letters, cut in two ways."""
    units = ["a", "b", "c d", *"efghij"][: draw(st.integers(1, 9))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return conllu(cut(units, rng, known=True)), conllu(cut(units, rng, known=False))


@settings(max_examples=150)
@given(pairs())
def test_figures_are_those_of_the_twin(pair: tuple[Treebank, Treebank]) -> None:
    gold, system = pair
    expected = twin.figures(gold, ranges(gold), system, ranges(system))
    assert expected == {name: counts for name, counts in sums(score(gold, system)).items() if name in expected}


@given(pairs())
def test_a_file_against_itself_is_perfect(pair: tuple[Treebank, Treebank]) -> None:
    gold, _ = pair
    for correct, ours, theirs in sums(score(gold, gold)).values():
        assert correct == ours == theirs


@given(pairs(), pairs())
def test_counts_of_files_add_up(one: tuple[Treebank, Treebank], other: tuple[Treebank, Treebank]) -> None:
    def joined(i: int) -> Treebank:
        sources = [pair[i].source for pair in (one, other)]
        return conllu("\n".join(line for source in sources if source is not None for line in source.lines))

    whole, first, second = sums(score(joined(0), joined(1))), sums(score(*one)), sums(score(*other))
    assert whole == {name: tuple(a + b for a, b in zip(first[name], second[name], strict=True)) for name in whole}


@given(pairs())
def test_alignment_is_one_to_one_and_in_order(pair: tuple[Treebank, Treebank]) -> None:
    gold, system = pair
    alignment = align(gold, system)
    aligned = alignment.system_slot[alignment.system_slot >= 0]
    assert (aligned[1:] > aligned[:-1]).all()
    assert (alignment.gold_slot[aligned] == (alignment.system_slot >= 0).nonzero()[0]).all()
    assert alignment.same_words == (
        gold.n_tokens == system.n_tokens == len(aligned) and (gold.offsets.tolist() == system.offsets.tolist())
    )


@settings(max_examples=50)
@given(pairs())
def test_alignment_is_the_same_in_plain_python_where_an_index_beyond_the_words_is_an_error(
    pair: tuple[Treebank, Treebank],
) -> None:
    expected = align(*pair)
    with pytest.MonkeyPatch.context() as patch:
        for name, function in [*vars(alignment).items()]:
            if isinstance(function, Kernel):
                patch.setattr(alignment, name, function.py_func)
        found = align(*pair)
    assert found.system_slot.tolist() == expected.system_slot.tolist()


# -- the official scorer ----------------------------------------------------------------------------------------------


UDEVAL = shutil.which("udeval", path=str(Path(sys.executable).parent)) or shutil.which("udeval") or ""
"""The official scorer: that of this environment, even if the environment is not activated."""


def official(gold: Path, system: Path) -> dict[str, tuple[int, ...]]:
    """Ask udeval of udtools for its counts."""
    done = subprocess.run(
        [UDEVAL, "--counts", "--no-enhanced", gold, system], capture_output=True, text=True, check=True
    )
    rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()[2:]]
    return {row[0]: tuple(map(int, row[1:4])) for row in rows}


@pytest.mark.skipif(not UDEVAL, reason="udtools is not installed")
@pytest.mark.parametrize(("seed", "rate", "segmentation"), [(0, 0.0, 0.0), (1, 0.2, 0.0), (2, 0.1, 0.1), (3, 0.3, 0.4)])
def test_figures_are_those_of_the_official_scorer(tmp_path: Path, seed: int, rate: float, segmentation: float) -> None:
    text = TOY.read_text("utf-8")
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(text, "utf-8")
    system.write_text(plant(text, seed, rate, segmentation), "utf-8")
    expected = official(gold, system)
    found = sums(score(read(gold), read(system)))
    names = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"]
    names += ["UAS", "LAS", "CLAS", "MLAS", "BLEX"]
    assert {name: found[name] for name in names} == {name: expected[name] for name in names}
    assert rate == 0 or found["MLAS"][0] < found["LAS"][0] < found["Words"][0]


@pytest.mark.skipif(not UDEVAL, reason="udtools is not installed")
def test_words_out_of_step_before_a_range_are_aligned_as_the_official_scorer_does(tmp_path: Path) -> None:
    one, other = tmp_path / "one.conllu", tmp_path / "other.conllu"
    one.write_text(lines("1 ab 0 root", "2-3 c", "2 b 1 dep", "3 c 1 dep"))
    other.write_text(lines("1 a 0 root", "2 b 1 dep", "3 c 1 dep"))
    for gold, system in (one, other), (other, one):
        assert sums(score(read(gold), read(system)))["Words"] == official(gold, system)["Words"]


# -- by hand ----------------------------------------------------------------------------------------------------------


def lines(*rows: str) -> str:
    """Make a sentence of rows ``id form [head deprel]``."""
    made = []
    for row in rows:
        token, form, *tree = row.split()
        head, deprel = tree or ["_", "_"]
        made.append("\t".join([token, form, "_", "X", "_", "_", head, deprel, "_", "_"]))
    return "\n".join(made) + "\n\n"


def test_a_range_that_was_cut_otherwise() -> None:
    gold = conllu(lines("1 We 3 nsubj", "2-3 don't", "2 do 3 aux", "3 not 0 root", "4 know 3 xcomp"))
    system = conllu(lines("1 We 2 nsubj", "2 don't 0 root", "3 know 2 xcomp"))
    found = sums(score(gold, system))
    assert found["Tokens"] == (3, 3, 3)
    assert found["Words"] == (2, 4, 3)  # We know
    assert found["UAS"] == (0, 4, 3)  # their head has no counterpart
    assert found["CLAS"] == (0, 3, 3)
    assert found["dependency"] == (0, 3, 3)


def test_sentences_that_were_joined() -> None:
    gold = conllu(lines("1 Go 0 root") + lines("1 I 2 nsubj", "2 stay 0 root"))
    system = conllu(lines("1 Go 0 root", "2 I 3 nsubj", "3 stay 1 conj"))
    scores = score(gold, system)
    assert scores["LAS"].tolist() == [[1, 1, 1], [1, 2, 2]]
    assert scores["Sentences"].tolist() == [[0, 1, 1], [0, 1, 0]]
    assert scores["complete"].tolist() == [[1, 1, 1], [0, 1, 1]]


def test_empty_nodes_and_comments_are_no_words() -> None:
    gold = conllu("# a\n" + lines("1 Go 0 root", "1.1 you", "2 home 1 obl"))
    assert sums(score(gold, conllu(lines("1 Go 0 root", "2 home 1 obl"))))["Words"] == (2, 2, 2)


def test_punctuation_can_be_left_out() -> None:
    gold = conllu(lines("1 Go 0 root", "2 !? 1 punct"))
    system = conllu(lines("1 Go 0 root", "2 ! 1 punct", "3 ? 1 punct"))
    assert sums(score(gold, system))["LAS"] == (1, 2, 3)
    assert sums(score(gold, system, punctuation=False))["LAS"] == (1, 1, 1)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("1 We 0 root\n2 went 1 x", "sentence 1: token 2: expected the text of .*, here 'gohome', found 'wenthome'"),
        ("1 We 0 root\n2 go 1 x", "token 2: expected the text of .*, here 'home', found the end"),
        ("1 We 0 root\n2 go 1 x\n3 homes 1 x", "token 3: expected the text of .*, here the end, found 's'"),
        ("1 we 0 root\n2 go 1 x\n3 home 1 x", "token 1: expected the text of .*, here 'Wegohome', found 'wegohome'"),
    ],
)
def test_another_text_is_refused_with_the_first_difference(system: str, message: str) -> None:
    gold = conllu(lines("1 We 0 root", "2 go 1 x", "3 home 1 x"))
    rows = system.replace("2 went 1 x", "2 went 1 x\n3 home 1 x").split("\n")
    with pytest.raises(InputError, match=message):
        align(gold, conllu(lines(*rows)))


def test_twenty_characters_of_another_text_are_shown() -> None:
    gold, system = (Treebank.of([([f"a{letter * 30}"], [0], ["root"])]) for letter in "bc")
    with pytest.raises(InputError, match=f"here '{'b' * 20}', found '{'c' * 20}'"):
        align(gold, system)


@pytest.mark.parametrize("forms", [("ré", "e\u0301"), ("o\u0301\u0323", "o\u0323\u0301")])
def test_texts_that_look_the_same_are_shown_by_their_characters(forms: tuple[str, str]) -> None:
    composed, decomposed = (Treebank.of([(["r" + form.lstrip("r")], [0], ["root"])]) for form in forms)
    for gold, system in ((composed, decomposed), (decomposed, composed)):
        with pytest.raises(InputError, match=r"here '.*\\.*u0.*Unicode normalization") as error:
            align(gold, system)
        assert str(error.value).isascii()
        with pytest.raises(InputError, match=r"expected '.*\\.*u0.*Unicode normalization") as error:
            require_same_sentences(gold, system)
        assert str(error.value).isascii()


def test_the_same_words_without_their_ranges_are_told_so() -> None:
    gold, system = conllu(lines("1-2 al", "1 a 0 root", "2 lo 1 x")), conllu(lines("1 a 0 root", "2 lo 1 x"))
    with pytest.raises(InputError, match=r"the words are the same, the multiword tokens are not: .* \(--conllx\)"):
        align(gold, system)


def test_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="expected the text of the gold trees, found none"):
        align(Treebank.of([(["a"], [0], ["root"])]), Treebank.of([]))


def test_ranges_of_sentences_that_were_kept_unread_are_not_taken() -> None:
    text = "1-2\tab" + "\t_" * 8 + "\n1\ta\n2\tb\n\n" + lines("1-2 cd", "1 c 0 root", "2 d 1 x")
    treebank = read(io.BytesIO(text.encode()), format="conllu", on_error="skip")
    assert [form for *_, form in multiword_tokens(treebank)] == ["cd"]
    kept = read(io.BytesIO((lines("1-2 cd", "1 c 0 root", "2 d 1 x") + "12 words\n\n").encode()), on_error="keep")
    assert [form for *_, form in multiword_tokens(kept)] == ["cd"]


def test_words_behind_a_stretch_are_not_of_it() -> None:
    one = conllu(lines("1-2 xy", "1 x 0 root", "2 y 1 dep", "3 z 1 dep", "4 w 1 dep"))
    other = conllu(lines("1-3 xy", "1 x 0 root", "2 y 1 dep", "3 z 1 dep", "4 zw 1 dep"))
    assert align(one, other).system_slot.tolist() == [-1, 1, 2, -1, -1]
    assert align(other, one).system_slot.tolist() == [-1, 1, 2, -1, -1]


@pytest.mark.parametrize("n_others", [1, 3000])
def test_a_long_stretch_whose_words_begin_alike_is_aligned(n_others: int) -> None:
    words = [f"{i} w{i} {min(i - 1, 1)} x" for i in range(1, 5001)]
    others = [word.replace("w", "other") for word in words[-n_others:]]
    gold = conllu(lines("1-5000 xx", *words))
    system = conllu(lines("1-5000 xx", *words[:-n_others], *others))
    assert align(gold, system).system_slot.tolist() == [-1, *range(1, 5001 - n_others), *[-1] * n_others]


def test_ranges_that_overlap_without_end_are_refused() -> None:
    def chain(shift: int) -> Treebank:
        rows = ["1 x 0 root"] if shift else []
        n = len(rows)
        for k in range(2100):
            rows += [f"{n + 1}-{n + 2} xx", f"{n + 1} {k}a{shift} 0 x", f"{n + 2} {k}b{shift} 0 x"]
            n += 2
        return conllu(lines(*rows, *([] if shift else [f"{n + 1} x 0 x"])))

    with pytest.raises(InputError, match="expected ranges of words that can be aligned"):
        align(chain(0), chain(1))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_words_of_no_characters_are_aligned_with_nothing_and_all_others_as_without_them(at: int) -> None:
    words = ["c", "d"]
    words[at:at] = ["a", "b"]
    rows = [f"{i} {word} 0 root" for i, word in enumerate(words, 1)]
    rows.insert(at, f"{at + 1}-{at + 2} SPACE")
    gold, system = conllu(lines(*rows).replace("SPACE", "\u00a0")), conllu(lines("1 c 0 root", "2 d 0 root"))
    assert sums(score(gold, system))["Words"] == (2, 4, 2)
    assert sums(score(system, gold))["Words"] == (2, 2, 4)
