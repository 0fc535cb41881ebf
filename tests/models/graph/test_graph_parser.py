"""The graph-based parser as a whole: it learns, repeats itself and survives storage; forged records do no harm."""

from __future__ import annotations

import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_model import content
from tests.reference.toy_parser import TEST, TRAINING, accuracy, trees
from tests.strategies import treebanks
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees, non_projective, roots
from treevote.errors import ConfigError, InputError, ModelError
from treevote.models.features.word_memo import WordMemo
from treevote.models.graph.long_sentences import LONGEST, cut, join
from treevote.models.graph.parser import MANY_CROSSING, SOME_CROSSING, GraphParser, GraphTrainer
from treevote.parallel import Jobs
from treevote.store import folder as store
from treevote.store.record import Record

SMALL = GraphTrainer(bits=14, epochs=2, n_perceptrons=2, attributes=("upos", "lower", "feat"))
PARSERS = {order: dataclasses.replace(SMALL, order=order).train(TRAINING) for order in (1, 2)}
orders = pytest.mark.parametrize("order", [1, 2])
decoders = pytest.mark.parametrize("decoder", ["projective", "non-projective"])


@orders
@decoders
@pytest.mark.parametrize("learner", ["perceptron", "mira", "bpm"])
def test_a_parser_learns_the_toy_grammar(order: Any, decoder: Any, learner: Any) -> None:
    parser = GraphTrainer(learner, order, decoder, bits=16, epochs=3, n_perceptrons=2).train(TRAINING)
    parse = parser.parse(TEST)
    assert parser.single_root
    assert (roots(parse) == 1).all()
    assert accuracy(TEST, parse) > 0.95
    assert parse.words is TEST.words
    assert not any(mark in label for label in parse.labels for mark in "↑↓")


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


@orders
@settings(max_examples=10)
@given(st.data())
def test_anything_is_parsed_to_trees(order: int, data: st.DataObject) -> None:
    treebank = data.draw(treebanks())
    assert are_trees(PARSERS[order].parse(treebank)).all()


@settings(max_examples=10)
@given(treebanks(max_sentences=3), st.sampled_from([1, 2]), st.sampled_from(["projective", "non-projective"]))
def test_anything_is_learned_from(treebank: Treebank, order: Any, decoder: Any) -> None:
    trainer = dataclasses.replace(SMALL, order=order, decoder=decoder, epochs=1)
    if not treebank.n_tokens:
        with pytest.raises(InputError, match="found no sentence"):
            trainer.train(treebank)
        return
    parser = trainer.train(treebank)
    parse = parser.parse(TEST.select(range(3)))
    assert are_trees(parse).all()
    assert not parser.single_root or (roots(parse) == 1).all()


@orders
def test_the_trees_of_the_input_are_not_looked_at(order: int) -> None:
    parser = PARSERS[order]
    unknown = np.where(TEST.is_token, -1, TEST.heads).astype(np.int32)
    bare = TEST.with_trees(unknown, np.full_like(TEST.deprels, -1), ())
    assert trees(parser.parse(bare)) == trees(parser.parse(TEST))


@orders
def test_sentences_are_parsed_each_for_itself(order: int) -> None:
    parser = PARSERS[order]
    forgetful = dataclasses.replace(parser, memo=WordMemo(parser.memo.lexicon, limit=3))
    assert trees(forgetful.parse(TEST)) == trees(parser.parse(TEST))
    for i in (7, 3, 3):
        assert trees(parser.parse(TEST.select([i]))) == trees(parser.parse(TEST))[i : i + 1]
    parts = [TEST.select(range(first, first + 10)) for first in (0, 10, 20, 30)]
    with ThreadPoolExecutor(4) as pool:
        found = [tree for parse in pool.map(parser.parse, parts) for tree in trees(parse)]
    assert found == trees(parser.parse(TEST))


@orders
def test_what_cannot_be_known_is_parsed_all_the_same(order: int) -> None:
    parser = PARSERS[order]
    parse = parser.parse(Treebank.of([(["ζ", "_", ""], [-1] * 3, ["_"] * 3), ([], [], []), (["x"], [-1], ["_"])]))
    assert are_trees(parse).all()
    assert parser.parse(Treebank.of([])).n_sentences == 0


def test_long_sentences_are_parsed_and_counted() -> None:
    words = TEST.sentence(0).words[1:]
    treebank = Treebank.of([([*words] * n, [-1] * (n * len(words)), ["_"] * (n * len(words))) for n in (1, 50, 160)])
    assert np.diff(treebank.offsets).max() > LONGEST
    parse, fallbacks = PARSERS[2].parse_counted(treebank)
    assert fallbacks == 2
    assert (roots(parse) == 1).all()
    assert are_trees(parse).all()
    assert PARSERS[1].parse_counted(treebank)[1] == 1


@given(st.lists(st.integers(0, 9), max_size=5), st.integers(1, 4), st.booleans())
def test_cut_sentences_are_joined_to_trees(sizes: list[int], longest: int, single_root: bool) -> None:
    tokens = np.concatenate([np.zeros(0, np.int32), *([0, *range(1, n + 1)] for n in sizes)]).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum([n + 1 for n in sizes])]).astype(np.int64)
    pieces = cut(tokens, offsets, longest)
    assert np.diff(pieces.offsets).max(initial=0) <= longest + 1
    assert pieces.tokens[pieces.offsets[:-1]].tolist() == [0] * len(pieces.sentence)
    assert pieces.cut.tolist() == [i for i, n in enumerate(sizes) if n > longest]
    chains = np.concatenate([np.zeros(0, np.int32), *(np.arange(-1, n - 1) for n in np.diff(pieces.offsets))])
    heads = join(pieces, chains.astype(np.int32), offsets, single_root)
    parse = Treebank.of([]).with_trees(heads, heads, ())
    parse = dataclasses.replace(parse, tokens=tokens, offsets=offsets)
    assert are_trees(parse).all()
    assert not single_root or (roots(parse) <= 1).all()


@orders
@pytest.mark.parametrize("learner", ["mira", "bpm"])
def test_the_same_seed_gives_the_same_bytes_whatever_the_jobs(order: Any, learner: Any) -> None:
    trainer = dataclasses.replace(SMALL, order=order, learner=learner)
    one = trainer.train(TRAINING, seed=3)
    assert content(one.record()) == content(trainer.train(TRAINING, seed=3, jobs=Jobs(2, "threading")).record())
    assert content(one.record()) != content(trainer.train(TRAINING, seed=4).record())


@orders
def test_a_bayes_point_machine_of_one_perceptron_is_that_perceptron(order: Any) -> None:
    machine = dataclasses.replace(SMALL, order=order, learner="bpm", n_perceptrons=1).train(TRAINING, seed=3)
    perceptron = dataclasses.replace(SMALL, order=order, learner="perceptron").train(TRAINING, seed=3)
    models = [(parser.second_order or parser.first_order).weights for parser in (machine, perceptron)]
    assert (models[0].table == models[1].table).all()


def test_progress_is_told() -> None:
    calls: list[tuple[str, int, int]] = []
    dataclasses.replace(SMALL, learner="bpm").train(TRAINING, jobs=Jobs(progress=lambda *call: calls.append(call)))
    assert [call for call in calls if call[0].startswith("graph")] == [
        (f"graph {part}", done, 2) for part in (1, 2) for done in (1, 2)
    ]


@orders
def test_a_parser_survives_storage_and_travels(order: int, tmp_path: Any) -> None:
    parser = PARSERS[order]
    store.save(parser.record(), tmp_path / "model")
    again = GraphParser.from_record(store.load(tmp_path / "model"))
    assert trees(again.parse(TEST)) == trees(parser.parse(TEST))
    assert content(again.record()) == content(parser.record())
    copy = pickle.loads(pickle.dumps(parser))
    assert trees(copy.parse(TEST)) == trees(parser.parse(TEST))


VALID = PARSERS[2].record()
junk = st.none() | st.booleans() | st.integers(-3, 300) | st.floats() | st.text(max_size=4) | st.lists(st.integers())


def _within(record: Record, path: tuple[str, ...], change: Any) -> Record:
    """Return a record with one part changed."""
    if not path:
        return change(record)  # type: ignore[no-any-return]
    inner = _within(record.parts[path[0]], path[1:], change)
    return dataclasses.replace(record, parts={**record.parts, path[0]: inner})


@settings(max_examples=60)
@given(st.data())
def test_a_forged_record_is_refused_or_gives_trees(data: st.DataObject) -> None:
    part = data.draw(st.sampled_from([(), ("first-order",), ("second-order",), ("labels",)]))

    def change(record: Record) -> Record:
        column = data.draw(st.sampled_from([name for name in ("facts", "arrays", "texts") if getattr(record, name)]))
        items: dict[str, Any] = dict(getattr(record, column))
        name = data.draw(st.sampled_from(sorted(items)))
        match column, data.draw(st.integers(0, 2)):
            case _, 0:
                del items[name]
            case "facts", _:
                items[name] = data.draw(junk)
            case "texts", _:
                items[name] = data.draw(st.lists(st.text(max_size=4), max_size=5))
            case _, 1:
                items[name] = np.resize(items[name], data.draw(st.integers(0, len(items[name]) + 5)))
            case _:
                items[name] = np.array(items[name])
                items[name][data.draw(st.integers(0, len(items[name]) - 1))] = 1
        changed: Any = {column: items}
        return dataclasses.replace(record, **changed)

    try:
        parser = GraphParser.from_record(_within(VALID, part, change))
        parse = parser.parse(TEST.select(range(4)))
    except ModelError:
        return
    assert are_trees(parse).all()


@settings(max_examples=30)
@given(st.data())
def test_a_forged_trainer_is_refused_or_gives_trees(data: st.DataObject) -> None:
    own: Any = dict(VALID.facts["trainer"])  # type: ignore[arg-type]
    own[data.draw(st.sampled_from(sorted(own)))] = data.draw(junk)
    try:
        parser = GraphParser.from_record(dataclasses.replace(VALID, facts={**VALID.facts, "trainer": own}))
    except ModelError:
        return
    assert are_trees(parser.parse(TEST.select(range(4)))).all()


@pytest.mark.parametrize("part", ["first-order", "second-order"])
@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan"), 1, "1", None])
def test_a_scale_is_a_positive_number(part: str, scale: Any) -> None:
    forged = _within(VALID, (part,), lambda record: dataclasses.replace(record, facts={"scale": scale}))
    with pytest.raises(ModelError, match="train it again"):
        GraphParser.from_record(forged)


def test_records_of_other_kinds_are_refused() -> None:
    for path in ((), ("first-order",), ("second-order",), ("labels",)):
        with pytest.raises(ModelError, match="kind"):
            GraphParser.from_record(_within(VALID, path, lambda record: dataclasses.replace(record, kind="x")))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"learner": "mria"}, "did you mean 'mira'"),
        ({"decoder": "eisner"}, "unknown decoder"),
        ({"order": 3}, "order should be 1 or 2"),
        ({"epochs": 0}, "epochs should be in 1..1000"),
        ({"n_perceptrons": 0}, "n_perceptrons should be"),
        ({"bits": 40}, "bits should be"),
        ({"max_heads": 0}, "max_heads should be"),
        ({"C": 0.0}, r"C should be in \(0, inf\), found 0.0"),
        ({"pruning_margin": float("nan")}, "pruning_margin should be"),
        ({"weight_threshold": 1.0}, "weight_threshold should be"),
        ({"attributes": ("uops",)}, "did you mean 'upos'"),
    ],
)
def test_wrong_hyper_parameters_are_told(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        GraphTrainer(**options)


def test_attributes_that_give_no_template_are_told() -> None:
    with pytest.raises(ConfigError, match="expected 1 to 1000 templates, found 0"):
        dataclasses.replace(SMALL, attributes=()).train(TRAINING)
