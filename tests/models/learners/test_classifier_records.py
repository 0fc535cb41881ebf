"""Classifiers as records: read back they predict alike; whatever is changed in them, they are refused or predict."""

from __future__ import annotations

import dataclasses
import importlib
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tests.reference.toy_parser import SMALL, TRAINING
from treevote.errors import ModelError
from treevote.models.learners.classifier_record import KINDS, read_classifier, write_classifier
from treevote.models.transition.guides import ClassifierGuide
from treevote.models.transition.parser import TransitionParser
from treevote.store.record import Record

N_FEATURES = 12
RNG = np.random.default_rng(3)
ROWS = csr_matrix((RNG.random((60, N_FEATURES)) < 0.3).astype(np.float32))
LABELS = {n: np.arange(60) % n for n in (2, 4)}
OPTIONS: dict[str, dict[str, Any]] = {
    "MLPClassifier": {"hidden_layer_sizes": (4, 3), "max_iter": 5},
    "RandomForestClassifier": {"n_estimators": 3, "random_state": 0},
    "ExtraTreesClassifier": {"n_estimators": 3, "random_state": 0},
    "PairsSVM": {"min_count": 1},
}


def trained(name: str, n_classes: int) -> Any:
    module, _, attribute = name.rpartition(".")
    classifier = getattr(importlib.import_module(module), attribute)(**OPTIONS.get(attribute, {}))
    return classifier.fit(ROWS, LABELS[n_classes])


def scores(classifier: Any) -> Any:
    keys = np.arange(1, 2 * N_FEATURES, 2, dtype=np.uint64) << np.uint64(33)
    return ClassifierGuide.of(classifier, keys, 8).scores(ROWS, 8)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_a_classifier_that_is_read_back_scores_alike(name: str, n_classes: int) -> None:
    classifier = trained(name, n_classes)
    again = read_classifier(write_classifier(classifier), N_FEATURES)
    assert np.array_equal(scores(again), scores(classifier))


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("left", lambda of: np.where(of["left"] < 0, -1, 2**30).astype(np.int32), "children"),
        ("left", lambda of: np.where(of["left"] < 0, -1, 0).astype(np.int32), "children"),
        ("right", lambda of: of["left"], "children"),
        ("feature", lambda of: np.full_like(of["feature"], 10**9), "features of its trees"),
        ("threshold", lambda of: of["threshold"] * np.nan, "array threshold"),
        ("value", lambda of: of["value"][:, :2], "array value"),
        ("value", lambda of: of["value"].astype(np.float32), "array value"),
        ("sizes", lambda of: np.array([-1, len(of["left"]) + 1]), "the trees"),
        ("sizes", lambda of: np.array([2**62, 2**62, 2**62, 2**62 + len(of["left"])]), "the trees"),
        ("classes", lambda of: np.array([3, 2, 1, 0]), "the classes"),
    ],
)
def test_arrays_that_would_lead_compiled_code_astray_are_refused(name: str, change: Any, problem: str) -> None:
    tree = write_classifier(trained("sklearn.tree.DecisionTreeClassifier", 4))
    with pytest.raises(ValueError, match=problem):
        read_classifier(dataclasses.replace(tree, arrays={**tree.arrays, name: change(tree.arrays)}), N_FEATURES)


@pytest.mark.parametrize("name", ["sklearn.svm.SVC", "os.system", "sklearn.preprocessing.FunctionTransformer", "", 7])
def test_a_class_that_is_not_admitted_is_not_looked_for(name: Any) -> None:
    with pytest.raises(ValueError, match="a model cannot hold"):
        read_classifier(Record("classifier", {"class": name, "options": {}}), N_FEATURES)


def test_a_tree_in_a_model_asks_for_features_of_the_model_only() -> None:
    record = dataclasses.replace(SMALL, learner="sklearn.tree.DecisionTreeClassifier").train(TRAINING.select(range(8)))
    forged = record.record()
    part = forged.parts["classifier"]
    feature = np.full_like(part.arrays["feature"], len(forged.arrays["keys"]))
    part = dataclasses.replace(part, arrays={**part.arrays, "feature": feature})
    with pytest.raises(ModelError, match="the features of its trees"):
        TransitionParser.from_record(dataclasses.replace(forged, parts={"classifier": part}))


@settings(max_examples=40)
@given(st.sampled_from(sorted(KINDS)), st.data())
@pytest.mark.filterwarnings("ignore")
def test_options_are_those_of_the_kind(name: str, data: st.DataObject) -> None:
    record = write_classifier(trained(name, 4))
    option = data.draw(st.sampled_from(["n_jobs", "metric", "activation", "p", "weights"]))
    value: Any = data.draw(st.sampled_from(["precomputed", "eval", -1, None, [], {}]))
    forged = dataclasses.replace(record, facts={**record.facts, "options": {option: value}})
    with pytest.raises(ValueError, match="the options"):
        read_classifier(forged, N_FEATURES)


def mutated(record: Record, rng: np.random.Generator) -> Record:
    """Return a record with changes in one or two arrays."""
    arrays = dict(record.arrays)
    for name in rng.choice(sorted(arrays), rng.integers(1, 3)):
        array = np.array(arrays[name])
        match rng.integers(6):
            case 0 | 1 if array.size:  # some numbers
                extremes = [-(2**31), -2, -1, 0, 1, 2, N_FEATURES, len(array), 2**31 - 1]
                places = rng.integers(array.size, size=rng.integers(1, 4))
                array.reshape(-1)[places] = rng.choice(extremes, len(places))
            case 2 if array.size:  # raw bytes
                raw = np.frombuffer(array.tobytes(), np.uint8).copy()
                raw[rng.integers(len(raw), size=4)] = rng.integers(256, size=4)
                array = raw.view(array.dtype).reshape(array.shape)
            case 3:  # another length
                array = array[: rng.integers(len(array) + 1)]
            case 4:
                array = rng.permutation(array)
            case _:  # another type
                array = array.astype(rng.choice(["<i4", "<f8", "|u1"]))
        arrays[name] = array
    return dataclasses.replace(record, arrays=arrays)


def mutate(name: str, n: int, seed: int) -> dict[str, int]:
    """Read and ask many mutated classifiers; to be done in a process of its own."""
    rng = np.random.default_rng(seed)
    records = [write_classifier(trained(name, n_classes)) for n_classes in (2, 4)]
    counts = {"refused": 0, "asked": 0}
    for i in range(n):
        try:
            outcome = scores(read_classifier(mutated(records[i % 2], rng), N_FEATURES))
        except (KeyError, TypeError, ValueError, ModelError):
            counts["refused"] += 1
            continue
        assert not np.isnan(outcome).any()
        counts["asked"] += 1
    return counts


def test_mutated_classifiers_never_crash_the_interpreter() -> None:
    code = (
        "import sys, json, warnings; warnings.simplefilter('ignore')\n"
        "from tests.models.learners.test_classifier_records import KINDS, mutate\n"
        "print(json.dumps([mutate(name, int(sys.argv[1]), int(sys.argv[2])) for name in KINDS]))"
    )
    done = subprocess.run([sys.executable, "-c", code, "60", "1"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-999:]
    assert all(counts["refused"] and counts["asked"] for counts in json.loads(done.stdout))
