"""The biaffine parser: choice of the decoder, long sentences, what it learns from; see also ``tests.contract``."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from tests.contract.subjects import NETWORK
from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import TEST, TRAINING, accuracy, trees
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, roots
from treevote.models.learning.network import encoder, training
from treevote.models.parsers.biaffine.parser import BiaffineTrainer
from treevote.models.parsers.decoding.long_sentences import LONGEST
from treevote.parallel import Jobs

QUICK = dataclasses.replace(NETWORK, passes=1)


def test_the_decoder_follows_the_share_of_crossing_arcs() -> None:
    assert QUICK.train(toy_treebank(20, 4)).projective
    crossing = toy_treebank(40, 5, crossing=True)
    assert not QUICK.train(crossing).projective
    assert dataclasses.replace(QUICK, decoder="projective").train(crossing).projective


def test_non_projective_trees_come_back() -> None:
    training_data, gold = toy_treebank(80, 5, crossing=True), toy_treebank(12, 6, crossing=True)
    for decoder in ("projective", "non-projective"):
        trainer = dataclasses.replace(NETWORK, decoder=decoder, passes=25)
        assert accuracy(gold, trainer.train(training_data).parse(gold)) > 0.9


def test_long_sentences_are_parsed_in_pieces() -> None:
    parser = NETWORK.train(TRAINING)
    words = (TEST.sentence(0).words[1:] * 20_000)[:20_000]
    text = Treebank.of([(own, [-1] * len(own), ["_"] * len(own)) for own in (words[:LONGEST], words)])
    parse, fallbacks = parser.parse_counted(text)
    assert fallbacks == 1
    assert are_trees(parse).all()
    assert (roots(parse) == 1).all()
    first, later = parse.offsets[1] + 1, parse.offsets[1] + 1 + LONGEST
    assert (parse.heads[1 : LONGEST + 1] == parse.heads[first:later]).all()  # the first piece is parsed as a sentence
    labels = np.array([*parse.labels, ""])[parse.deprels]
    assert (labels[later:] != "root").all()


def test_sentences_that_are_not_learned_from_leave_no_trace() -> None:
    few = TRAINING.select(range(3))
    assert len(few.words) > len(few.compact().words)
    assert content(QUICK.train(few).record()) == content(QUICK.train(few.compact()).record())


def test_a_small_treebank_gets_more_passes() -> None:
    totals = []
    for treebank in (TRAINING.select([0]), TRAINING):
        steps: list[int] = []
        jobs = Jobs(progress=lambda name, done, total, steps=steps: steps.append(total))  # type: ignore[misc]
        dataclasses.replace(QUICK, batch=1).train(treebank, jobs=jobs)
        totals.append(steps[0])
    assert totals[0] == training.MOST_PASSES
    assert totals[1] == min(training.MOST_PASSES, -(-training.FEWEST_STEPS // len(TRAINING)))


def test_the_size_of_batches_changes_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = NETWORK.train(TRAINING)
    expected = trees(parser.parse(TEST))
    for slots in (1, 25):
        monkeypatch.setattr(encoder, "SLOTS", slots)
        assert trees(parser.parse(TEST)) == expected


def test_a_parse_does_not_make_a_parser_larger_for_another_process() -> None:
    parser = QUICK.train(TRAINING)
    before = len(pickle.dumps(parser.trainer)), len(pickle.dumps(parser))
    parser.parse(TEST)
    assert (len(pickle.dumps(parser.trainer)), len(pickle.dumps(parser))) == before
    assert trees(pickle.loads(pickle.dumps(parser)).parse(TEST)) == trees(parser.parse(TEST))


def test_attributes_that_do_not_occur_take_no_parameters() -> None:
    bare = Treebank.of([(["a", "b"], [2, 0], ["x", "root"])] * 4)
    tagged, untagged = (
        dataclasses.replace(QUICK, attributes=attributes).train(bare) for attributes in (("lower", "upos"), ("lower",))
    )
    assert len(tagged.weights) == len(untagged.weights)
    assert isinstance(tagged.trainer, BiaffineTrainer)
