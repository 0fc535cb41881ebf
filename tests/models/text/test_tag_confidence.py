"""Confidence of tags: a probability that grows with the margins, is kept with the model, and is written on request."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.text.tagging.test_tagger import bare
from tests.reference.quick_tagger import SMALL, inflected
from treevote.conll.chunks import Chunk
from treevote.conll.reader import parse_chunk, with_marks
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer, right_tags
from treevote.errors import ModelError
from treevote.kernels import Floats
from treevote.models.text.tag_confidence import N_TASKS, TagConfidence, cross_fitted
from treevote.models.text.tagging.tagger import Tagger
from treevote.models.text.text_annotator import TextAnnotator
from treevote.store.record import Record

TRAINING, DEV = inflected(40, 1), inflected(20, 7)
margins_of_tokens = st.lists(st.lists(st.floats(0, 20, width=32), min_size=3, max_size=3), min_size=1, max_size=40)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return SMALL.train(TRAINING)


@pytest.fixture(scope="module")
def reader(tagger: Tagger) -> TextAnnotator:
    found, _, margins = tagger.tag_with_margins(DEV)
    right = right_tags(DEV, found)["AllTags"]
    return TextAnnotator(tagger=tagger, confidence=TagConfidence.fit(margins[DEV.is_token], right[DEV.is_token]))


@given(margins_of_tokens, st.data())
def test_it_is_a_probability_of_each_token_alone(rows: list[list[float]], data: st.DataObject) -> None:
    right = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    margins = np.array(rows, np.float32)
    sure = TagConfidence.fit(margins, right)
    found = sure.of(margins)
    assert ((found > 0) & (found < 1)).all()
    assert [float(sure.of(margins[i : i + 1])[0]) for i in range(len(rows))] == found.tolist()
    again = TagConfidence.from_record(sure.record())
    assert again.of(margins).tobytes() == found.tobytes()


@pytest.mark.parametrize(("place", "height"), [*enumerate((0.5, 1.0, 2.0, 4.0, 8.0, 20.0))])
def test_log_odds_rise_with_the_least_margin_up_to_a_height(place: int, height: float) -> None:
    weights = np.zeros(10)
    weights[place] = 0.1
    least = np.array([0.0, height / 2, height, height + 0.5, 30.0], np.float32)
    margins = np.stack([least + 1, least, least + 5], 1)
    expected = 1 / (1 + np.exp(-0.1 * np.minimum(least, height)))
    np.testing.assert_allclose(TagConfidence(weights).of(margins), expected, rtol=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_it_is_calibrated_where_margins_are_log_odds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    odds = rng.uniform(0, 4, 4000)
    margins = np.stack([odds, odds + 1, odds + 3], 1).astype(np.float32)
    right = rng.random(4000) < 1 / (1 + np.exp(-odds))
    treebank = Treebank.of([(["a"], [0], ["root"])] * 4000)
    slots: Floats = np.zeros((8000, N_TASKS), np.float32)
    slots[1::2] = margins
    measured: Any = cross_fitted(treebank, slots, np.repeat(right, 2))
    assert measured["error"] < 0.05
    assert cross_fitted(treebank[:1], slots[:2], right[:2]) == {}


@pytest.mark.parametrize("weights", [[0.0] * 9, [np.nan] * 10, [1e9] * 10, [np.inf] * 10])
def test_forged_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(ModelError):
        TagConfidence.from_record(Record("tag-confidence", arrays={"weights": np.array(weights)}))
    with pytest.raises(ModelError):
        TagConfidence.from_record(Record("tag-confidence"))


def test_margins_do_not_depend_on_the_batch(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tagger.tag_with_margins(DEV)[2]
    monkeypatch.setattr("treevote.models.text.tagging.tagger._BATCH", 1)
    assert tagger.tag_with_margins(DEV)[2].tobytes() == whole.tobytes()
    assert (whole[DEV.is_token] >= 0).all()
    assert not whole[~DEV.is_token].any()


def test_predicted_tags_alone_have_confidence(reader: TextAnnotator) -> None:
    lines = "1\tdogs" + "\t_" * 7 + "\tTagConfidence=1\n\n" + "1\tdogs\t_\tNOUN" + "\t_" * 6 + "\n\n"
    treebank = parse_chunk(Chunk("", 1, 1, lines.encode(), "conllu"), trees="ignored")[0]
    found = reader.tagged(treebank)
    assert found.tag_confidence is not None
    assert 0 < found.tag_confidence[1] < 1
    assert np.isnan(found.tag_confidence[3])
    parse = found.with_trees(np.array([-1, 0, -1, 0], np.int32), np.array([-1, 0, -1, 0], np.int32), ("root",))
    first, second = dumps(parse).split("\n\n")[:2]
    assert f"\tTagConfidence={found.tag_confidence[1]:.3f}" in first
    assert "TagConfidence" not in second
    assert reader.tagged(treebank, "keep").tag_confidence is None
    unsure = dataclasses.replace(reader, confidence=None).tagged(treebank)
    assert unsure.tag_confidence is None
    assert "TagConfidence" not in dumps(unsure)


def test_given_tags_keep_their_confidence_whatever_is_beside_them(reader: TextAnnotator) -> None:
    given = "1\tdogs\t_\tNOUN" + "\t_" * 5 + "\tTagConfidence=0.111\n\n"
    bare = "1\tdogs" + "\t_" * 8 + "\n\n"

    def parse(text: str) -> str:
        treebank = parse_chunk(Chunk("", 1, 1, text.encode(), "conllu"), trees="ignored")[0]
        found = reader.tagged(treebank)
        heads = np.where(found.is_token, 0, -1).astype(np.int32)
        return dumps(found.with_trees(heads, heads, ("root",)))

    alone = parse(given)
    assert "\tTagConfidence=0.111\n" in alone
    assert parse(given + bare).startswith(alone)


def test_it_is_written_and_read_back(reader: TextAnnotator) -> None:
    found = reader.tagged(bare([["dogs", "bark"], ["dogs"]]))
    trees = found.with_trees(
        np.array([-1, 2, 0, -1, 0], np.int32), np.array([-1, 0, 1, -1, 1], np.int32), ("x", "root")
    )
    text = dumps(trees)
    again = with_marks(parse_chunk(Chunk("", 1, 1, text.encode(), "conllu"), trees="required")[0])
    assert again.tag_confidence is not None
    assert trees.tag_confidence is not None
    np.testing.assert_allclose(again.tag_confidence, trees.tag_confidence, atol=6e-4)


def test_a_reader_with_development_data_has_it() -> None:
    trained = AnnotatorTrainer("tokens", "gold", tagger=SMALL).train(TRAINING, DEV)
    assert trained.annotator.confidence is not None
    assert "reliability" in trained.facts
    again = TextAnnotator.from_record(trained.annotator.record())
    assert again.confidence is not None
    assert again.confidence.weights.tobytes() == trained.annotator.confidence.weights.tobytes()
    assert AnnotatorTrainer("tokens", "gold", tagger=SMALL).train(TRAINING).annotator.confidence is None
