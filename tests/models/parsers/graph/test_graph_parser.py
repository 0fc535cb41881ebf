"""The graph-based parser: choice of the decoder, long sentences, Bayes point machines; see also ``tests.contract``."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import TEST, TRAINING, accuracy
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.models.parsers.decoding.best_tree import MANY_CROSSING, SOME_CROSSING
from treevote.models.parsers.decoding.long_sentences import LONGEST
from treevote.models.parsers.graph import parser as graph_parser
from treevote.models.parsers.graph.parser import GraphTrainer

SMALL = GraphTrainer(bits=14, epochs=2, n_perceptrons=2, attributes=("upos", "lower", "feat"))
orders = pytest.mark.parametrize("order", [1, 2])
decoders = pytest.mark.parametrize("decoder", ["projective", "non-projective"])


@orders
@decoders
def test_non_projective_trees_come_back(order: Any, decoder: Any) -> None:
    gold = toy_treebank(12, 5, crossing=True)
    parse = GraphTrainer(order=order, decoder=decoder, bits=16).train(TRAINING).parse(gold)
    assert accuracy(gold, parse) > 0.9


def test_the_decoder_follows_the_share_of_crossing_arcs() -> None:
    assert dataclasses.replace(SMALL, decoder="auto", epochs=1).train(toy_treebank(20, 4)).projective
    crossed = Treebank.of([(["a", "b", "c", "d"], [3, 0, 2, 1], ["x", "root", "y", "z"])] * 10)
    assert not dataclasses.replace(SMALL, decoder="auto", epochs=1).train(crossed).projective


@decoders
def test_where_some_arcs_cross_the_decoder_is_chosen_on_development_data(decoder: Any) -> None:
    training = toy_treebank(40, 5, crossing=True)
    crossing = non_projective(training).sum() / training.n_tokens
    assert SOME_CROSSING < crossing < MANY_CROSSING
    text = toy_treebank(40, 6, crossing=True)
    parses = {
        own: dataclasses.replace(SMALL, decoder=own, epochs=1).train(training).parse(text)
        for own in ("projective", "non-projective")
    }
    assert parses["projective"].heads.tolist() != parses["non-projective"].heads.tolist()
    auto = dataclasses.replace(SMALL, decoder="auto", epochs=1)
    assert auto.train(training, parses[decoder]).trainer.decoder == decoder
    assert auto.train(training).projective


def test_a_first_order_parser_needs_no_templates_to_prune() -> None:
    assert dataclasses.replace(SMALL, order=1, attributes=("suffix2",), epochs=1).train(TRAINING).second_order is None


def test_long_sentences_are_parsed_and_counted() -> None:
    words = TEST.sentence(0).words[1:]
    treebank = Treebank.of([([*words] * n, [-1] * (n * len(words)), ["_"] * (n * len(words))) for n in (1, 50, 160)])
    assert np.diff(treebank.offsets).max() > LONGEST
    first, second = (dataclasses.replace(SMALL, order=order).train(TRAINING) for order in (1, 2))
    parse, fallbacks = second.parse_counted(treebank)
    assert fallbacks == 2
    assert (roots(parse) == 1).all()
    assert are_trees(parse).all()
    assert first.parse_counted(treebank)[1] == 2


def test_every_piece_of_a_long_sentence_is_parsed_by_the_second_order_model() -> None:
    parser = SMALL.train(TRAINING)
    words = (TEST.sentence(0).words[1:] * LONGEST)[: 2 * LONGEST]
    whole, piece = (Treebank.of([(own, [-1] * len(own), ["_"] * len(own))]) for own in (words, words[:LONGEST]))
    assert parser.parse_counted(piece)[1] == 0
    model = parser.second_order
    assert model is not None
    zero = model.weights._replace(table=np.zeros_like(model.weights.table))
    for text in (whole, piece):
        heads, others = (own.parse(text).heads[1:] for own in (parser, parser.with_weights(zero)))
        for own in range(0, text.n_tokens, LONGEST):
            assert (heads[own : own + LONGEST] != others[own : own + LONGEST]).any()


def test_sentences_that_are_too_long_are_not_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    for n, learnt in ((4, True), (5, False)):
        treebank = Treebank.of([(["a", "b", "c", "d", "e"][:n], [2, 0, 2, 2, 2][:n], ["x", "root", "y", "y", "y"][:n])])
        monkeypatch.setattr(graph_parser, "LONGEST", 4)
        parser = dataclasses.replace(SMALL, order=1).train(treebank)
        assert parser.first_order.weights.table.any() == learnt


@orders
def test_a_bayes_point_machine_of_one_perceptron_is_that_perceptron(order: Any) -> None:
    machine = dataclasses.replace(SMALL, order=order, learner="bpm", n_perceptrons=1).train(TRAINING, seed=3)
    perceptron = dataclasses.replace(SMALL, order=order, learner="perceptron").train(TRAINING, seed=3)
    models = [(parser.second_order or parser.first_order).weights for parser in (machine, perceptron)]
    assert (models[0].table == models[1].table).all()


@pytest.mark.parametrize(
    ("trainer", "chooses"),
    [
        (GraphTrainer(), True),
        (GraphTrainer(order=1), False),
        (GraphTrainer(pruning_margin=3, proposal_margin=3), False),
        (GraphTrainer(pruning_margin=2, proposal_margin=3), False),
    ],
)
def test_a_parser_chooses_among_proposed_heads_where_that_leaves_out_more_of_the_others(
    trainer: GraphTrainer, chooses: bool
) -> None:
    assert trainer.chooses == chooses
