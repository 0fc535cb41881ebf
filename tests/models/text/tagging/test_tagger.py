"""The tagger: it tags as the twin does, whatever the batch, the jobs and the tags of its input."""

from __future__ import annotations

import dataclasses
import functools
import io
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import tagger as twin
from tests.reference.quick_tagger import SMALL, TINY, inflected
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.strategies import treebanks
from tests.values import comparing_arrays, settable
from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.models.text.tagging import tagger as module
from treevote.models.text.tagging import task as voting
from treevote.models.text.tagging.classifier import ClassifierTrainer
from treevote.models.text.tagging.neural_tagger import NeuralTaggerTrainer
from treevote.models.text.tagging.tagger import TAGGERS, TASKS, Tagger, TaggerTrainer
from treevote.models.text.tagging.tagset import MAX_CLASSES
from treevote.parallel import Jobs

TRAINING, TEST = toy_treebank(60, 1), toy_treebank(30, 2)
LINEAR = functools.partial(ClassifierTrainer, templates=("0.form",))
forms = st.text("abAB1", min_size=1, max_size=4) | st.sampled_from(
    ["dogs", "the", ROOT.form, "_", "İ", "\u2028", "a b"]
)


def bare(texts: Sequence[Sequence[str]]) -> Treebank:
    """Return sentences without tags and trees."""
    return Treebank.of([(own, [-1] * len(own), [""] * len(own)) for own in texts])


def words_of(treebank: Treebank) -> list[tuple[Word, ...]]:
    return [sentence.words[1:] for sentence in treebank.sentences()]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    """Return a tagger of the toy grammar with all defaults."""
    return TaggerTrainer().train(TRAINING)


@pytest.fixture(scope="module")
def small() -> Tagger:
    """Return a small tagger of inflected forms."""
    return SMALL.train(inflected(40, 1))


def test_a_grammar_is_learnt(tagger: Tagger) -> None:
    found, gold = words_of(tagger.tag(TEST)), words_of(TEST)
    pairs = [pair for own in zip(gold, found, strict=True) for pair in zip(*own, strict=True)]
    assert sum(one == other for one, other in pairs) / len(pairs) > 0.99


def test_unknown_forms_are_tagged_by_their_spelling_and_neighbours(tagger: Tagger) -> None:
    ((the, wolves, *_),) = words_of(tagger.tag(bare([["the", "wugs", "saw", "cats", "."]])))
    assert the == Word("the", "the", "DET", "_", "_")
    assert wolves == Word("wugs", "wug", "NOUN", "Ns", "Number=Plur")


@settings(max_examples=30)
@given(st.lists(st.sampled_from([word.form for word in TRAINING.words[1:]]) | forms, min_size=1, max_size=6))
def test_tags_are_those_of_the_twin(tagger: Tagger, own: list[str]) -> None:
    assert [*words_of(tagger.tag(bare([own])))[0]] == twin.tagged(tagger, own, least_gain=voting.NEW_COMBINATION)


@settings(max_examples=60)
@given(own=st.lists(st.text("abxyA1", min_size=1, max_size=4) | forms, min_size=1, max_size=6))
@pytest.mark.parametrize("least_gain", [-2.0, 0.0, 4.0])
def test_combinations_that_were_never_seen_are_those_of_the_twin(
    small: Tagger, own: list[str], least_gain: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(voting, "NEW_COMBINATION", least_gain)
        (found,) = words_of(small.tag(bare([own])))
    assert [*found] == twin.tagged(small, own, least_gain=least_gain)
    for word in found:
        assert len({*word.feats.split("|")}) == len(word.feats.split("|"))


def test_new_combinations_are_predicted() -> None:
    """Case and number are seen with one another, but for one pair, and told by the letters."""
    pairs = [(case, number) for case in "abc" for number in "xyz" if (case, number) != ("c", "z")]
    words = [Word(f"{c}uu{n}", "_", "N", "_", f"Case={c}|Number={n}") for c, n in pairs]
    one = ClassifierTrainer(templates=("0.prefix1", "0.suffix1"), epochs=20, rate=1.0)
    trainer = TaggerTrainer({**SMALL.taggers, "feats": (one,) * 4})
    model = trainer.train(Treebank.of([([word], [0], ["root"]) for word in words for _ in range(8)]))
    tagged, agreed, _ = model.tag_with_margins(bare([["cuuz", "auux", "cuuy"]]))
    assert [word.feats for word in words_of(tagged)[0]] == ["Case=c|Number=z", "Case=a|Number=x", "Case=c|Number=y"]
    assert agreed.tolist() == [False, False, True, True]  # no tagger by itself chose the new one


def test_words_of_unknown_groups_have_no_class() -> None:
    words = [Word("a", "a", "A", "_", "X=1"), Word("b", "b", "B", "_", "X=2"), Word("c", "c", "A", "_", "X=3")]
    classes, groups, _ = module._gold_classes(Treebank.of([(words, [0, 1, 1], ["root", "x", "x"])]), "feats", ["A"])
    assert (classes.tolist(), groups.tolist()) == ([-1, 0, -1, 1], [0, 0, 0, 0])


@settings(max_examples=30)
@given(st.lists(st.lists(forms, min_size=1, max_size=4), max_size=6), st.data())
def test_any_order_and_batch_give_the_same_tags(small: Tagger, texts: list[list[str]], data: st.DataObject) -> None:
    whole = words_of(small.tag(bare(texts)))
    order = data.draw(st.permutations(range(len(texts))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BATCH", data.draw(st.integers(1, 12)))
        assert words_of(small.tag(bare([texts[i] for i in order]))) == [whole[i] for i in order]
    assert [words for own in texts for words in words_of(small.tag(bare([own])))] == whole


@settings(max_examples=30)
@given(st.integers(0, 99), st.sampled_from(["", "_", "NOUN", "odd"]))
def test_tags_and_lemmas_of_the_input_are_never_read(tagger: Tagger, seed: int, tag: str) -> None:
    rng = np.random.default_rng(seed)
    words = [Word(word.form, *rng.choice([tag, "VERB", "_"], 4).tolist()) for word in TEST.words[1:]]
    copies = [Word(word.form, f"other{i}", "X", "Y", "Z") for i, word in enumerate(TEST.words[1:])]
    number = rng.integers(2, size=len(TEST.tokens)) * len(words)
    tokens = np.where(TEST.is_token, TEST.tokens + number, 0).astype(np.int32)
    other = dataclasses.replace(TEST, words=(ROOT, *words, *copies), tokens=tokens)
    assert words_of(tagger.tag(other)) == words_of(tagger.tag(TEST))


@settings(max_examples=30)
@given(treebanks())
def test_forms_and_trees_stay(tagger: Tagger, treebank: Treebank) -> None:
    marked = dataclasses.replace(treebank, support=np.linspace(0, 1, len(treebank.tokens), dtype=np.float32))
    tagged = tagger.tag(marked)
    for one, other in zip(tagged.sentences(), marked.sentences(), strict=True):
        assert [word.form for word in one.words] == [word.form for word in other.words]
        assert (one.heads.tolist(), one.deprels) == (other.heads.tolist(), other.deprels)
    assert (tagged.tokens[~tagged.is_token] == 0).all()
    assert tagged.words[0] == ROOT
    assert tagged.support is marked.support


TEXTS = {
    "conllu": (
        "\ufeff# text = dogs\tcats\n1-2\tthedogs\t_\t_\tX\t_\t_\t_\t_\tA=b\n"
        "1\tthe\tX\tX\tX\tX\t2\tdet\t2:det|3:x\tB=c\n"
        "# within\n2\tdogs\t\tX\t_\tOld=1\t0\troot\t_\t_\n2.1\tdogs\tdog\tNOUN\t_\t_\t_\t_\t2:x\tC\n\n"
        "1\tsaw a\tX\tX\tX\tX\t_\t_\t_\t\n\n# end\n"
    ),
    "conllx": "1\tthe\tX\tX\tX\tX\t2\tdet\t1\tdet\n2\tdogs\t_\tX\t_\tOld=1\t0\tROOT\t_\t_\n\n"
    "1\t<root>\t_\t_\t_\t_\t0\tx\t0\tx\n",
}


@pytest.mark.parametrize("format", ["conllu", "conllx"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("trees", ["optional", "ignored"])
def test_lines_change_in_four_columns_alone(tagger: Tagger, format: Any, end: str, trees: Any) -> None:
    text = TEXTS[format].replace("\n", end)
    treebank = read(io.BytesIO(text.encode()), format=format, trees=trees)
    tagged = tagger.tag(treebank)
    assert tagged.source is not None
    before, after = text.split("\n"), "\n".join(tagged.source.lines).split("\n")
    words = [word for own in words_of(tagged) for word in own]
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        if old.split("\t")[0].isdigit():
            (
                number,
                form,
                *_,
            ) = old.split("\t")
            assert new.split("\t") == [number, *words[0], *old.split("\t")[6:]]
            assert form == words.pop(0).form
        else:
            assert new == old
    assert not words
    again = read(io.BytesIO("\n".join(after).encode()), format=format, trees=trees)
    assert words_of(again) == words_of(tagged)
    if trees == "optional":
        assert dumps(tagged) == dumps(again)
    assert dumps(tagger.tag(tagged)) == dumps(tagged)


def test_empty_treebanks(tagger: Tagger) -> None:
    assert tagger.tag(Treebank.of([])).n_sentences == 0
    assert words_of(tagger.tag(bare([[]]))) == [()]
    assert [len(words) for words in words_of(tagger.tag(bare([[], ["a"], []])))] == [0, 1, 0]
    for treebank in (Treebank.of([]), bare([[]]), TRAINING.select([])):
        with pytest.raises(InputError, match="found no token"):
            TaggerTrainer().train(treebank)


def one_word(*columns: str, times: int = 1) -> Treebank:
    return Treebank.of([([Word(*columns)], [0], ["root"])] * times)


ONE = {
    "one token": one_word("a", "b", "X", "Y", "Z=1"),
    "one tag": Treebank.of([([Word(c, c, "X", "_", "_") for c in "abcab"], [0, 1, 1, 1, 1], ["x"] * 5)]),
    "nothing": Treebank.of([(["a", "b"], [0, 1], ["x", "y"])]),
    "the form of ROOT": Treebank.of(
        [([Word("<root>", "_", "X", "_", "_"), *TRAINING.words[1:3]], [0, 1, 1], ["x"] * 3)]
    ),
    "the word ROOT": one_word(*ROOT),
    "no form": one_word("", "b", "X", "Y", "Z", times=3),
    "empty columns": one_word("a", "", "", "", "", times=3),
    "odd characters": Treebank.of([([Word("a\u2028\x85", "|\r", " ", "=", "||\u202e"), "İ"], [0, 1], ["x", "x"])] * 2),
    "rules": one_word("a", "same|0||0|", "lower", "=", "=|=", times=11),
}


@pytest.mark.parametrize("treebank", ONE.values(), ids=ONE)
@pytest.mark.parametrize("trainer", [TaggerTrainer(), SMALL], ids=["default", "small"])
def test_the_smallest_treebanks_are_learnt(treebank: Treebank, trainer: TaggerTrainer) -> None:
    model = trainer.train(treebank)
    again = Tagger.from_record(model.record())
    for texts in (treebank, bare([["never", "seen"], [""]])):
        found = words_of(model.tag(texts))
        assert found == words_of(again.tag(texts))
        assert all(all(word[2:]) and (word.lemma or not word.form) for own in found for word in own)
        assert [*found[0]] == twin.tagged(model, [word.form for word in words_of(texts)[0]], least_gain=4.0)
    if len(treebank.words) == 2:  # there is one class for all
        ((word,), *_) = words_of(model.tag(treebank))
        assert word == Word(treebank.words[1].form, *(column or "_" for column in treebank.words[1][1:]))


def test_features_of_which_none_is_frequent() -> None:
    trainer = TaggerTrainer({task: (ClassifierTrainer(templates=("0.form",), cutoff=100),) for task in TASKS})
    model = trainer.train(TRAINING)
    assert all(len(own.guide.keys) == 0 for task in model.tasks.values() for own in task.taggers)
    assert words_of(model.tag(TEST.select([0])))[0][-1] == Word(".", ".", "PUNCT", "_", "_")  # by the dictionary


def test_very_many_tags_are_learnt_and_tagged() -> None:
    n = MAX_CLASSES // 10
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treevote.models.text.tagging.tagset.MAX_CLASSES", n)
        patch.setattr("treevote.models.text.tagging.tagset.MAX_PARTS", n + n // 2)
        words = [Word(f"w{i}", f"l{i}", f"U{i}", f"X{i}", f"Id={i}|B={i % 7}") for i in range(2 * n)]
        same = [Word(f"w{i}", f"l{i}", "U0", f"X{i}", f"Id={i}") for i in range(2 * n)]
        for own in (words, same):
            model = SMALL.train(Treebank.of([([word], [0], ["root"]) for word in own]))
            sizes = {name: len(task.tagset.names) for name, task in model.tasks.items()}
            assert max(sizes.values()) <= n
            again = Tagger.from_record(model.record())
            few = bare([["w0", "w1", f"w{2 * n - 1}"]])
            assert words_of(again.tag(few)) == words_of(model.tag(few))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 59), min_size=1, max_size=10))
def test_words_without_tokens_change_nothing(chosen: list[int]) -> None:
    part = TRAINING.select(chosen)
    for trainer in SMALL, dataclasses.replace(SMALL, neural=TINY):
        assert content(trainer.train(part).record()) == content(trainer.train(part.compact()).record())


def test_any_jobs_give_the_same_bytes(tagger: Tagger) -> None:
    assert content(SMALL.train(TRAINING, seed=0).record()) == content(SMALL.train(TRAINING).record())
    assert content(SMALL.train(TRAINING, seed=3).record()) == content(SMALL.train(TRAINING, seed=3).record())
    assert content(SMALL.train(TRAINING, seed=3).record()) != content(SMALL.train(TRAINING, seed=4).record())
    assert content(TaggerTrainer().train(TRAINING, jobs=Jobs(2, "threading")).record()) == content(tagger.record())


@pytest.mark.slow
def test_other_processes_give_the_same_bytes(tagger: Tagger) -> None:
    assert content(TaggerTrainer().train(TRAINING, jobs=Jobs(2, "loky")).record()) == content(tagger.record())


def test_progress_names_each_tagger() -> None:
    told: list[tuple[str, int, int]] = []
    SMALL.train(TRAINING, jobs=Jobs(progress=lambda *step: told.append(step)))
    names = dict.fromkeys(name for name, _, _ in told)
    expected = ["upos maxent forward", "upos margin backward", "feats maxent forward", "feats margin forward"]
    assert list(names)[:4] == expected
    assert told[:2] == [("upos maxent forward", 1, 2), ("upos maxent forward", 2, 2)]


def test_a_pickled_tagger_is_the_same(small: Tagger) -> None:
    again = pickle.loads(pickle.dumps(small))
    assert content(again.record()) == content(small.record())
    texts = inflected(20, 2)
    assert words_of(again.tag(texts)) == words_of(small.tag(texts))


@pytest.mark.parametrize(
    "options",
    [
        {"epochs": 0},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"cutoff": 0},
        {"prune": 1.0},
        {"context": 2.0},
        {"losses": ("hinge",)},
        {"losses": ()},
        {"losses": ("maxent", "margin", "maxent")},
        {"direction": "left"},
    ],
)
def test_wrong_settings_are_told(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        LINEAR(**options)


@pytest.mark.parametrize(
    ("make", "name", "allowed", "refused"),
    [
        (LINEAR, "context", (0.0, 1.0), (-0.1, 1.1)),
        (LINEAR, "epochs", (1, 1000), (0, 1001)),
        (LINEAR, "rate", (0.1, 99.9), (0.0, 100.0)),
        (NeuralTaggerTrainer, "passes", (1, 1000), (0, 1001)),
        (NeuralTaggerTrainer, "layers", (1, 10), (0, 11)),
        (NeuralTaggerTrainer, "units", (1, 1000), (0, 1001)),
        (NeuralTaggerTrainer, "hidden", (1, 1000), (0, 1001)),
    ],
)
def test_settings_have_ranges(make: Any, name: str, allowed: tuple[Any, ...], refused: tuple[Any, ...]) -> None:
    assert [getattr(make(**{name: value}), name) for value in allowed] == [*allowed]
    for value in refused:
        with pytest.raises(ConfigError, match=name):
            make(**{name: value})


@pytest.mark.parametrize("taggers", [{}, {**TAGGERS, "upos": ()}, {**TAGGERS, "tags": TAGGERS["upos"]}])
def test_every_task_has_taggers(taggers: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="taggers for upos, feats, xpos, lemma"):
        TaggerTrainer(taggers)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_wrong_templates_are_told(direction: Any) -> None:
    wrong = (ClassifierTrainer(templates=("0.frm",), direction=direction),)
    with pytest.raises(ConfigError, match="unknown attribute 'frm'"):
        TaggerTrainer({**SMALL.taggers, "upos": wrong}).train(TRAINING)


def test_taggers_and_their_settings_are_values() -> None:
    package = "treevote.models.text.tagging"
    assert not settable(package) | comparing_arrays(package)
