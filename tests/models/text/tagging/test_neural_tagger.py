"""The neural tagger: its derivatives, its votes, and that neither batches nor jobs change a tag."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.text.tagging.test_tagger import words_of
from tests.models.text.tagging.test_tagging_learning import tagsets
from tests.reference.quick_tagger import SMALL, TINY, inflected
from tests.reference.toy_model import content
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError
from treevote.kernels import Floats
from treevote.models.learning.network.batches import batches
from treevote.models.learning.network.parameters import initial, views
from treevote.models.learning.network.training import Dropout, loss_of_batch
from treevote.models.learning.vectors.vectors import WordVectors
from treevote.models.text.tagging import task as voting
from treevote.models.text.tagging.neural_tagger import (
    NeuralTagger,
    NeuralTaggerTrainer,
    class_loss,
    unused_parts,
)
from treevote.models.text.tagging.tagger import Tagger, TaggerTrainer, _gold_classes
from treevote.models.text.tagging.tagset import Tagset
from treevote.models.text.tagging.templates import TAGS
from treevote.parallel import Jobs

TRAINER = dataclasses.replace(SMALL, neural=TINY)
TRAINING, TEST = inflected(40, 1), inflected(20, 2)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return TRAINER.train(TRAINING)


def plain_loss(tagset: Tagset, group: int, gold: int, scores: list[float]) -> float:
    """Return the loss of a token as the sum over the classes of its group defines it."""
    parts, first, last = tagset.parts, int(tagset.starts[group]), int(tagset.starts[group + 1])
    own: list[float] = [
        scores[parts.bases[group] + c - first] * bool(parts.own[c])
        + sum(scores[parts.values[i]] for i in range(parts.offsets[c], parts.offsets[c + 1]))
        for c in range(first, last)
    ]
    return math.log(sum(map(math.exp, own))) - own[gold - first]


@given(tagsets(), st.data())
def test_the_loss_and_its_derivatives_are_those_of_a_softmax_over_the_group(
    tagset: Tagset, data: st.DataObject
) -> None:
    n_parts = int(tagset.parts.bases[-1])
    group = data.draw(st.integers(0, len(tagset.groups) - 1))
    gold = data.draw(st.integers(int(tagset.starts[group]), int(tagset.starts[group + 1]) - 1))
    drawn = data.draw(st.lists(st.floats(-3, 3, width=32), min_size=n_parts, max_size=n_parts))
    row = np.where(unused_parts(tagset.parts), 0, np.array(drawn, np.float32))
    scores, found = np.stack([row, row]).astype(np.float32), np.zeros((2, n_parts), np.float32)
    groups, classes = np.array([group, group], np.int32), np.array([gold, -1], np.int32)
    loss = class_loss(tagset.parts, groups, classes, scores, found)
    assert loss == pytest.approx(plain_loss(tagset, group, gold, row.tolist()), abs=1e-4)
    assert not found[1].any()
    for part in np.flatnonzero(~unused_parts(tagset.parts)).tolist():
        up, down = (row.astype(float) for _ in range(2))
        up[part] += 1e-4
        down[part] -= 1e-4
        slope = (plain_loss(tagset, group, gold, up.tolist()) - plain_loss(tagset, group, gold, down.tolist())) / 2e-4
        assert found[0, part] == pytest.approx(slope, abs=1e-3)


def test_derivatives_are_those_of_finite_differences() -> None:
    """In each array of parameters along its gradient, where rounding matters least."""
    groups = _gold_classes(TRAINING, "upos", ("_",)).tagset.names
    gold = {"upos": _gold_classes(TRAINING, "upos", ("_",))}
    gold |= {task: _gold_classes(TRAINING, task, groups) for task in TAGS[1:]}
    forms = tuple(dict.fromkeys(word.form for word in TRAINING.words[1:]))
    tagsets = tuple(gold[task].tagset for task in TAGS)
    network = NeuralTagger(TINY, forms, SMALL.clusters, tagsets, np.zeros(0, np.float16))
    sentences, rng = network.sentences(TRAINING), np.random.default_rng(0)
    vector = initial(network.shapes, [], rng)
    vector += rng.normal(scale=0.1, size=len(vector)).astype(np.float32)
    batch = next(batches(TRAINING.offsets, 60))
    dropout = Dropout.of(sentences, np.zeros(len(network.attributes), np.bool_))
    attributes = dropout.attributes(sentences.words.attributes[sentences.tokens[batch.slots]], rng)
    masks = dropout.masks(views(vector, network.shapes), len(batch.sentences), rng)

    def loss(vector: Floats) -> tuple[float, Floats]:
        gradient = np.zeros_like(vector)
        p, d = (views(own, network.shapes) for own in (vector, gradient))
        own = lambda *arguments: network.loss(gold, *arguments)  # noqa: E731
        return loss_of_batch(p, d, sentences, own, batch, attributes, masks), gradient

    _, gradient = loss(vector)
    end, step = 0, 1e-3
    for name, shape in network.shapes.items():
        begin, end = end, end + math.prod(shape)
        along = np.zeros(len(gradient))
        along[begin:end] = gradient[begin:end]
        if name == "split-feats":  # forms alone are read: it has nothing to learn without clusters
            assert not along.any()
            continue
        along /= np.linalg.norm(along)
        ends = (loss((vector + sign * step * along).astype(np.float32))[0] for sign in (1, -1))
        found = (next(ends) - next(ends)) / (2 * step)
        assert found == pytest.approx(gradient.astype(float) @ along, rel=0.02, abs=4e-4), name


def test_a_neural_tagger_learns(tagger: Tagger) -> None:
    assert tagger.neural is not None
    found = tagger.neural.scores(tagger.neural.sentences(TEST))["upos"]
    names, tokens = np.array(tagger.tasks["upos"].tagset.names), TEST.is_token
    gold = np.array([word.upos for word in TEST.words])[TEST.tokens]
    right, usual = (names[found.argmax(1)] == gold)[tokens].mean(), (gold == "NOUN")[tokens].mean()
    assert right > usual + 0.1


def test_its_scores_are_added_to_those_of_the_linear_taggers(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The class of a token is the best one by the sum; a neural tagger that is sure decides alone."""
    task, calls = tagger.tasks["upos"], list[Floats]()
    vote = voting.Task.vote

    def watched(self: voting.Task, text: object, column: int, neural: Floats | None = None) -> voting.VoteResult:
        if self is task:
            assert neural is not None
            calls.append(neural)
            plain, none = vote(self, text, column), vote(self, text, column, 0 * neural)  # type: ignore[arg-type]
            assert (plain.classes == none.classes).all()
            sure = vote(self, text, column, 1e4 * neural)  # type: ignore[arg-type]
            tokens = sure.classes >= 0
            assert (sure.classes == neural.argmax(1))[tokens].all()
        return vote(self, text, column, neural)  # type: ignore[arg-type]

    monkeypatch.setattr(voting.Task, "vote", watched)
    tagger.tag(TEST)
    assert calls


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_tags_do_not_depend_on_the_batch(tagger: Tagger, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, expected = tagger.tag_with_margins(TEST), words_of(tagger.tag(TEST))
    monkeypatch.setattr("treevote.models.text.tagging.tagger._BATCH", batch)
    monkeypatch.setattr("treevote.models.learning.network.encoder.SLOTS", batch)
    again = tagger.tag_with_margins(TEST)
    assert words_of(again[0]) == expected
    assert (again[2] == whole[2]).all()


def test_tags_are_those_of_each_sentence_alone(tagger: Tagger) -> None:
    alone = [words_of(tagger.tag(TEST.select([i])))[0] for i in range(len(TEST))]
    assert alone == words_of(tagger.tag(TEST))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs_do_not_change_a_byte(tagger: Tagger, backend: Literal["threading", "loky"]) -> None:
    assert content(TRAINER.train(TRAINING, jobs=Jobs(2, backend)).record()) == content(tagger.record())


def test_a_reloaded_tagger_gives_the_same_tags(tagger: Tagger) -> None:
    again = Tagger.from_record(tagger.record())
    assert again.neural is not None
    assert again.neural.trainer == TINY
    assert words_of(again.tag(TEST)) == words_of(tagger.tag(TEST))
    assert content(again.record()) == content(tagger.record())


def test_vectors_of_words_make_other_words_known() -> None:
    """Forms say nothing here: the vectors alone tell the tags of new words, also after a record."""
    rng = np.random.default_rng(0)
    upos = dict.fromkeys((f"w{i}" for i in range(60)), "A") | dict.fromkeys((f"w{i}" for i in range(30, 60)), "B")
    names = [f"w{i}" for i in rng.permutation(60)]
    values = np.array([[1, 0] if upos[name] == "A" else [0, 1] for name in names], np.float16)
    vectors = WordVectors(tuple(names), values)
    known, new = names[:40], names[40:]
    words = [[Word(name, name, upos[name], "_", "_")] for name in known * 4]
    treebank = Treebank.of([(own, [0], ["root"]) for own in words])
    network = NeuralTaggerTrainer(attributes=("lower",), passes=10, layers=1, units=16, hidden=16, vectors=vectors)
    tagger = dataclasses.replace(SMALL, neural=network).train(treebank)
    text = Treebank.of([([name], [-1], [""]) for name in new])
    for own in (tagger, Tagger.from_record(tagger.record())):
        assert own.neural is not None
        scores = own.neural.scores(own.neural.sentences(text))["upos"][text.is_token]
        found = [own.tasks["upos"].tagset.names[i] for i in scores.argmax(1)]
        assert found == [upos[name] for name in new]


def test_words_without_known_letters_and_long_sentences_have_tags(tagger: Tagger) -> None:
    odd = ["λόγος", "我", "x" * 300, "a"] * 1500
    tagged = tagger.tag(Treebank.of([(odd, [-1] * len(odd), [""] * len(odd))]))
    assert all(word.upos in ("NOUN", "X") for word in tagged.words[1:])


def test_attributes_are_those_of_forms() -> None:
    with pytest.raises(ConfigError, match="attribute"):
        NeuralTaggerTrainer(attributes=("upos",))
    assert TaggerTrainer().neural is None
