"""A few labelled sentences of the target: their share, folds without themselves, resumption, models without text."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adaptation.test_adapt import DEV, LENIENT, SCHEME, SMALL, SOURCE, TEXT, before, content
from tests.reference.toy_grammar import toy_treebank
from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.data import Data
from treevote.adaptation.labelled import (
    MAX_COPIES,
    calibration_errors,
    copies_of,
    labelled,
    parsed_by_folds,
    recalibrated,
    repeated,
)
from treevote.adaptation.scheme import Scheme
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.parser import EnsembleParser, load
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, InputError
from treevote.store.checkpoints import checkpoints

FEW = toy_treebank(20, 5)


def run(folder: Path, data: Data, scheme: Scheme = SCHEME) -> AdaptationResult:
    with checkpoints(folder, {}) as steps:
        return Adaptation(before(), data, steps, scheme=scheme, guard=LENIENT, seed=0, convention="ud").run()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    write(TEXT, tmp_path / "text.conllu")
    return tmp_path / "text.conllu"


@pytest.mark.parametrize("judges", [True, False])
def test_members_that_are_too_similar_are_named_if_they_judge_a_text(judges: bool, text: Path, tmp_path: Path) -> None:
    alike = EnsembleTrainer({"one": SMALL, "two": dataclasses.replace(SMALL, cutoff=2)}).train(SOURCE)
    unfit = dataclasses.replace(LENIENT, min_bigram_information=1000.0)  # ends before any training
    data = Data(SOURCE, [text], DEV) if judges else Data(SOURCE, [], DEV, target_train=FEW)
    with checkpoints(tmp_path / "work", {}) as steps:
        found = Adaptation(alike, data, steps, scheme=Scheme(), guard=unfit, seed=0, convention="ud").run()
    assert found.parser is alike
    assert ("one and two read from the same side" in str(found.report["warnings"])) == judges


@given(st.integers(1, 10**7), st.integers(1, 10**5), st.floats(0, 0.9))
def test_no_other_number_of_copies_is_nearer_to_the_share(n_source: int, n_target: int, share: float) -> None:
    copies = copies_of(n_source, n_target, share)
    wanted = share / (1 - share) * n_source
    assert 1 <= copies <= MAX_COPIES
    for other in (copies - 1, copies + 1):
        if 1 <= other <= MAX_COPIES:
            assert abs(copies * n_target - wanted) <= abs(other * n_target - wanted) + 1e-6 * wanted + 1e-6


def test_copies_stay_the_same_for_a_fold() -> None:
    data = Data(SOURCE, [], target_train=FEW)
    whole, fold = labelled(data, 0.5, 2), labelled(data, 0.5, 2, np.arange(5))
    times, rest = divmod(fold[-1].n_sentences, 5)
    assert (whole[-1].n_sentences, rest) == (times * FEW.n_sentences, 0)
    assert times > 1
    assert whole[0].n_sentences == fold[0].n_sentences == 2 * SOURCE.n_sentences
    assert labelled(dataclasses.replace(data, target_train=None), 0.5) == [SOURCE]


@given(st.integers(1, 45), st.integers(1, 5))
def test_copies_are_in_the_same_part_of_the_training_data(n: int, times: int) -> None:
    numbers = Treebank.of([([str(i)], [0], ["root"]) for i in range(n)])
    order = np.array([int(sentence.words[1].form) for sentence in repeated(numbers, times)])
    assert np.bincount(order).tolist() == [times] * n
    for number in range(n - n % 10):  # in whole blocks
        places = np.flatnonzero(order == number)
        assert len({*(places % 2).tolist()}) == len({*(places % 10).tolist()}) == 1
        assert places[-1] - places[0] == 10 * (times - 1)


def test_no_sentence_is_parsed_by_a_model_that_was_trained_on_it() -> None:
    trained: list[set[int]] = []

    class Recorder:
        def __init__(self, chosen: set[int]) -> None:
            self.chosen = chosen

        def parse_members(self, treebank: Treebank) -> dict[str, Treebank]:
            own = {FEW_FORMS[form] for form in forms(treebank)}
            assert not own & self.chosen
            return {"one": treebank}

    def forms(treebank: Treebank) -> list[str]:
        return [s.words[1].form for s in treebank.sentences()]

    numbered = Treebank.of([([f"w{i}", "b"], [2, 0], ["x", "root"]) for i in range(11)])
    FEW_FORMS = {form: i for i, form in enumerate(forms(numbered))}

    def train(number: int, chosen: np.ndarray) -> EnsembleParser:
        assert number == len(trained) + 1
        trained.append(set(chosen.tolist()))
        return Recorder(trained[-1])  # type: ignore[return-value]

    found = parsed_by_folds(numbered, 3, train)
    assert forms(found["one"]) == forms(numbered)
    assert len(trained) == 3
    with pytest.raises(InputError, match="expected 6 labelled sentences of the new domain or more, found 5"):
        parsed_by_folds(numbered.select(range(5)), 3, train)


def test_labels_alone_are_enough(tmp_path: Path) -> None:
    adapted = run(tmp_path / "work", Data(SOURCE, [], DEV, target_train=FEW))
    assert adapted.silver is None
    assert adapted.reasons == []
    facts: Any = adapted.report
    assert (facts["target_train"]["sentences"], facts["target_train"]["folds"]) == (20, 3)
    assert set(facts["target_train"]["calibration_error"]) == {"before", "after"}
    assert "rounds" not in facts
    assert {each["domain"] for each in facts["scores"]} == {"source", "target by folds"}
    assert facts["after"]["target"] is not None
    training: Any = adapted.parser.facts["training"]
    assert training["sentences"] == SOURCE.n_sentences + facts["target_train"]["copies"] * 20
    assert adapted.parser.has_confidence


def test_confidence_is_fitted_to_the_target_without_development_data(tmp_path: Path) -> None:
    model = before().trees_alone
    with checkpoints(tmp_path / "work", {}) as steps:
        data = Data(SOURCE, [], target_train=FEW)
        adapted = Adaptation(model, data, steps, scheme=SCHEME, guard=LENIENT, seed=0, convention="ud").run()
    assert adapted.parser.has_confidence


def test_text_and_labels_join(text: Path, tmp_path: Path) -> None:
    adapted = run(tmp_path / "work", Data(SOURCE, [text], DEV, target_train=FEW))
    facts: Any = adapted.report
    training: Any = adapted.parser.facts["training"]
    own = SOURCE.n_sentences + facts["target_train"]["copies"] * 20 + facts["added"]["sentences"]
    assert training["sentences"] == own
    assert adapted.silver is not None


def test_folds_do_not_learn_from_the_text_of_which_the_committee_has_told(text: Path, tmp_path: Path) -> None:
    run(tmp_path / "text", Data(SOURCE, [text], DEV, target_train=FEW))
    run(tmp_path / "none", Data(SOURCE, [], DEV, target_train=FEW))
    for name in ("fold-1", "fold-2", "fold-3"):
        assert content(tmp_path / "text" / name) == content(tmp_path / "none" / name)


@pytest.mark.parametrize("last", ["adapted", "fold-1", "fold-3"])
def test_what_was_killed_between_folds_goes_on_to_the_same_model(last: str, tmp_path: Path) -> None:
    data = Data(SOURCE, [], DEV, target_train=FEW)
    whole = run(tmp_path / "whole", data)
    names = ["adapted", "fold-1", "fold-2", "fold-3"]
    made = {name: load(tmp_path / "whole" / name) for name in names}
    assert set(made) == {path.name for path in (tmp_path / "whole").iterdir()} - {"plan.json"}
    run(tmp_path / "half", data)
    for name in names[names.index(last) + 1 :]:
        for file in (tmp_path / "half" / name).iterdir():
            file.unlink()
        (tmp_path / "half" / name).rmdir()
    again = run(tmp_path / "half", data)
    for name in names:
        assert content(tmp_path / "half" / name) == content(tmp_path / "whole" / name)
    assert again.report == whole.report


def test_without_folds_nothing_is_measured_on_them(tmp_path: Path) -> None:
    scheme = dataclasses.replace(SCHEME, target_folds=0)
    facts: Any = run(tmp_path / "work", Data(SOURCE, [], DEV, target_train=FEW), scheme).report
    assert {each["domain"] for each in facts["scores"]} == {"source"}
    assert "calibration_error" not in facts["target_train"]


def test_nothing_to_adapt_to_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is nothing to adapt to"):
        run(tmp_path / "work", Data(SOURCE, [], DEV))


@pytest.mark.parametrize(("key", "value"), [("target_share", 1.0), ("target_share", -0.1), ("target_folds", 1)])
def test_settings_out_of_range_are_refused(key: str, value: float) -> None:
    changes: Any = {key: value}
    with pytest.raises(ConfigError, match=key):
        Scheme(**changes)


def test_recalibration_is_measured_on_the_other_half() -> None:
    parses = before().parse_members(FEW)
    errors: Any = calibration_errors(before(), FEW, parses, convention="ud")
    assert 0 <= errors["after"] <= 1
    assert 0 <= errors["before"] <= 1
    assert all(error == round(error, 4) for error in errors.values())
    assert calibration_errors(before(), FEW.select([0]), parses, convention="ud") == {}
    assert recalibrated(before(), FEW, parses, convention="ud").judge.model is not before().judge.model
