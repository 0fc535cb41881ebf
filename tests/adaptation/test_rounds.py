"""Rounds of an adaptation without its trainings: which sentences enter, when it ends, and what is trained on."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.adaptation.test_adapt import DEV, LENIENT, SCHEME, SOURCE, TEXT, TRAINERS, before
from tests.adaptation.test_labelled import FEW
from tests.reference.toy_grammar import toy_treebank
from treevote.adaptation import measuring
from treevote.adaptation.adapt import Adaptation
from treevote.adaptation.annotation import Annotation, NothingKeptError, _SentenceReader
from treevote.adaptation.data import Data
from treevote.adaptation.distance import Distance
from treevote.adaptation.labelled import copies_of
from treevote.adaptation.plan import Plan, plan_of
from treevote.adaptation.scheme import InstanceSelection, Scheme
from treevote.conll.writer import write
from treevote.corpus.treebank import Treebank
from treevote.ensemble.judge import Judge
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError
from treevote.models.learning.clusters.clusters import Clusters
from treevote.parallel import Jobs
from treevote.store.checkpoints import checkpoints


def adaptation(data: Data, steps: Any = None, **settings: Any) -> Adaptation:
    own: Any = {"scheme": SCHEME, "guard": LENIENT, "seed": 0, "convention": "ud", **settings}
    return Adaptation(own.pop("model", before()), data, steps, **own)


@pytest.mark.parametrize(
    ("threshold", "kept", "shares"),
    [
        (10.0, (5, 6, 7, 8), [50, 10, 10]),  # three rounds at most
        (10.1, (5, 6, 7, 8), [50, 10]),
        (50.1, (5, 6, 7, 8), [50, 10]),  # the first is never the last
        (0.0, (5, 4, 6, 8), [50, 0, 10]),
        (0.0, (5, 0, 6, 8), [50, 0]),  # the selection of the first round is still good
    ],
)
def test_rounds_go_on_while_enough_of_the_text_is_new(
    threshold: float, kept: tuple[int, ...], shares: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ten = Treebank.of([(["a", "b"], [0, 1], ["root", "x"])] * 10)
    write(ten, tmp_path / "text.conllu")
    found = (
        Annotation(ten.lengths, (np.arange(10) < n).astype(np.float64), np.ones(10), (tmp_path / "text.conllu",))
        for n in kept
    )
    monkeypatch.setattr("treevote.adaptation.adapt.annotate", lambda *where, **how: next(found))
    monkeypatch.setattr(Adaptation, "_trained", lambda *what: None)
    scheme = dataclasses.replace(SCHEME, rounds=3, stopping_threshold=threshold, selection=InstanceSelection())
    data = Data(SOURCE, [tmp_path / "text.conllu"])
    with checkpoints(tmp_path / "work", {}) as steps:
        silver, rounds = adaptation(data, steps, scheme=scheme)._rounds({}, data)
    told: Any = rounds
    assert [(each["new"], each["text_sentences"], each["text_tokens"]) for each in told] == [
        (share, 10, 20) for share in shares
    ]
    last = len(shares) if kept[len(shares) - 1] else len(shares) - 1
    assert silver.name == f"round-{last}.silver.conllu"
    first = [next(r for r, n in enumerate(kept, 1) if i < n) for i in range(kept[last - 1])]
    entered = [line for line in silver.read_text("utf-8").split("\n") if line.startswith("# round = ")]
    assert entered == [f"# round = {number}" for number in first]


def test_the_model_is_the_first_committee_where_training_would_give_its_members(tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")

    def committee(model: EnsembleParser, scheme: Scheme = SCHEME, **given: Any) -> tuple[bytes, set[str]]:
        """Return the added sentences, and the steps with a training."""
        heard = set[str]()
        jobs = Jobs(progress=lambda step, *_: heard.add(step.partition(":")[0]))
        data = Data(given.pop("source", SOURCE), [tmp_path / "text.conllu"], given.pop("dev", DEV), **given)
        with TemporaryDirectory(dir=tmp_path) as folder, checkpoints(Path(folder, "steps"), {}) as steps:
            silver, _ = adaptation(data, steps, model=model, scheme=scheme, jobs=jobs)._rounds(
                {name: model.members[name].trainer for name in scheme.committee}, data
            )
            return silver.read_bytes(), heard

    model, trained = before(), {"round-1.committee", "round-2.committee"}
    added, steps = committee(model)
    assert trained - steps == {"round-1.committee"}
    of_others = dataclasses.replace(model, facts={**model.facts, "training": {"sha256": ""}})
    again, steps = committee(of_others)
    assert again == added
    assert trained <= steps
    unsure = dataclasses.replace(model, judge=Judge(Weights.equal(2)))
    assert trained <= committee(unsure)[1]
    assert trained - committee(unsure, dev=None)[1] == {"round-1.committee"}
    assert trained <= committee(model, dataclasses.replace(SCHEME, committee=SCHEME.committee[::-1]))[1]
    assert trained <= committee(model, source=toy_treebank(40, 4))[1]
    assert trained <= committee(model, target_train=toy_treebank(10, 5))[1]
    assert trained <= committee(model, clusters=Clusters(("dog",), ("01",)))[1]


def test_a_first_round_must_keep_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(TEXT, tmp_path / "text.conllu")
    nothing = Annotation(TEXT.lengths, np.zeros(len(TEXT)), np.ones(len(TEXT)), ())
    monkeypatch.setattr("treevote.adaptation.adapt.annotate", lambda *where, **how: nothing)
    monkeypatch.setattr(Adaptation, "_trained", lambda *what: None)
    data = Data(SOURCE, [tmp_path / "text.conllu"])
    with checkpoints(tmp_path / "work", {}) as steps, pytest.raises(NothingKeptError, match="found none among 120"):
        adaptation(data, steps)._rounds({}, data)


def test_every_twentieth_of_40_000_sentences_is_held_out() -> None:
    assert np.flatnonzero(measuring.held_out(np.arange(40_100))).tolist() == [*range(19, 40_000, 20)]


@pytest.mark.parametrize(
    ("target", "silver", "copies"), [(None, None, 1), (None, "silver", 3), (FEW, None, 3), (FEW, "silver", 3)]
)
def test_a_committee_sees_the_source_once_until_there_is_something_else(
    target: Treebank | None, silver: str | None, copies: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Treebank] = []
    train: Any = lambda members, kind: SimpleNamespace(train=lambda own, *rest, **how: trained.append(own))  # noqa: E731
    monkeypatch.setattr("treevote.adaptation.adapt.EnsembleTrainer", train)
    steps = SimpleNamespace(model=lambda name, make, load, save: make())
    path = None if silver is None else tmp_path / silver
    if path:
        write(TEXT[:7], path)
    scheme = dataclasses.replace(SCHEME, source_copies=3)
    data = Data(SOURCE, [], DEV, target_train=target)
    adaptation(data, steps, scheme=scheme)._trained("a", {}, data, path)
    own = 0 if target is None else copies_of(3 * SOURCE.n_tokens, FEW.n_tokens, scheme.target_share) * len(FEW)
    assert trained[0].n_sentences == copies * len(SOURCE) + own + (7 if path else 0)


@pytest.mark.parametrize(
    ("kind", "n_members", "dev", "expected"),
    [
        ("accuracy", 2, DEV, "accuracy"),
        ("accuracy", 2, None, "equal"),
        ("accuracy", 1, DEV, "equal"),
        ("agreement", 2, DEV, "equal"),
    ],
)
def test_the_vote_is_of_the_same_kind_where_one_can_be_learned(
    kind: Any, n_members: int, dev: Treebank | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[object, str]] = []
    train: Any = lambda *settings: SimpleNamespace(train=lambda *what, **how: made.append(settings))  # noqa: E731
    monkeypatch.setattr("treevote.adaptation.adapt.EnsembleTrainer", train)
    model = dataclasses.replace(before(), judge=Judge(Weights(kind, (1.0, 1.0))))
    steps = SimpleNamespace(model=lambda name, make, load, save: make())
    data = Data(SOURCE, [], dev)
    adaptation(data, steps, model=model)._trained("a", dict.fromkeys("ab"[:n_members]), data, None)  # type: ignore[arg-type]
    assert [kind for _, kind in made] == [expected]


def test_what_the_committee_lacks_is_told_before_any_work() -> None:
    alone = dataclasses.replace(SCHEME, committee=("forward",))
    sure = dataclasses.replace(SCHEME, selection=InstanceSelection(min_confidence=0.5))
    for scheme, dev, external, problem in (
        (alone, DEV, [], "expected a committee of two or more, found only forward"),
        (sure, None, [], "a committee has confidence only with a development set"),
        (sure, DEV, ["nowhere"], "a committee has confidence only with a development set"),
    ):
        with pytest.raises(ConfigError, match=problem):
            adaptation(Data(SOURCE, ["nowhere"], dev, external=external), scheme=scheme).run()
    for scheme, dev, external in ((alone, DEV, ["nowhere"]), (sure, DEV, []), (SCHEME, None, ["nowhere"])):
        with pytest.raises(InputError, match="nowhere"):
            adaptation(Data(SOURCE, ["nowhere"], dev, external=external), scheme=scheme).run()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unknown_tags": 1.0, "tags": ("Z",)}, []),
        ({"unknown_tags": 1.05, "tags": tuple("ZYXWVU")}, ["1.1 % of the text has tags", "(Z, Y, X, W, V)"]),
        ({"unknown_tags": 100.0, "tags": ("_",)}, ["the text has no tags"]),
        ({"unknown_tags": 100.0, "tags": ("_", "Z")}, ["100.0 % of the text has tags"]),
    ],
)
def test_tags_that_are_not_in_the_training_data_are_told(changes: dict[str, Any], words: list[str]) -> None:
    text = dataclasses.replace(Distance(0.0, 0.0, 0.0, 9.0, 9.0, ()), **changes)
    told = list(adaptation(Data(SOURCE, []))._warnings(SOURCE, text, Plan(True, False, {}, {})))
    assert len(told) == bool(words)
    assert all(word in told[0] for word in words)


@pytest.mark.parametrize(
    ("kind", "dev", "warned"), [("learned", None, 1), ("accuracy", None, 1), ("equal", None, 0), ("learned", DEV, 0)]
)
def test_weights_that_the_adapted_model_will_not_have_are_told(kind: Any, dev: Treebank | None, warned: int) -> None:
    model = EnsembleTrainer(TRAINERS, kind).train(SOURCE, DEV)
    adapted = adaptation(Data(SOURCE, [], dev, target_train=DEV), model=model)
    distance = Distance(0.0, 0.0, 0.0, 9.0, 9.0, ())
    told = list(adapted._warnings(SOURCE, distance, plan_of(model, adapted.data, SCHEME)))
    assert sum("the votes of the old model have measured weights" in warning for warning in told) == warned


def test_an_external_parse_is_read_in_turn_and_counted_where_it_ends(tmp_path: Path) -> None:
    write(TEXT[:7], tmp_path / "short.conllu")
    reader = _SentenceReader(tmp_path / "short.conllu", Data(SOURCE, []))
    for first, last in ((0, 2), (2, 2), (2, 5)):
        assert [s.words for s in reader.take(last - first)] == [s.words for s in TEXT[first:last]]
    with pytest.raises(InputError, match="expected a parse of every sentence, found parses of 7"):
        reader.take(3)
    with pytest.raises(InputError, match="found 2 more"):
        reader.finish()


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("rounds", (1, 50), (0, 51)),
        ("stopping_threshold", (0.0, 100.0), (-0.1, 100.1)),
        ("source_copies", (1, 100), (0, 101)),
        ("tag_agreement", (0.0, 1.0), (-0.1, 1.1)),
        ("target_share", (0.0, 0.999), (-0.1, 1.0)),
        ("target_folds", (0, 2, 20), (-1, 1, 21)),
    ],
)
def test_the_settings_of_a_scheme_have_ranges(name: str, allowed: tuple[Any, ...], refused: tuple[Any, ...]) -> None:
    for value in allowed:
        assert getattr(Scheme(**{name: value}), name) == value
    for value in refused:
        with pytest.raises(ConfigError, match=name):
            Scheme(**{name: value})


def test_the_guard_may_be_overruled(tmp_path: Path) -> None:
    write(TEXT, tmp_path / "text.conllu")
    scheme = dataclasses.replace(SCHEME, target_folds=0)
    data = Data(SOURCE, [], DEV, target_train=FEW)
    for force in (False, True):
        with checkpoints(tmp_path / str(force), {}) as steps:
            guard = dataclasses.replace(LENIENT, min_bigram_information=1000.0)
            found = adaptation(data, steps, scheme=scheme, guard=guard, force=force).run()
        assert (found.parser is before()) == (not force)
        assert len(found.reasons) == 1
