"""Classifiers as records: the numbers that predictions depend on, checked before compiled code sees them.

The compiled code of scikit-learn trusts its structures: a tree with a child out of range crashes the interpreter. So
only the kinds in ``KINDS`` are admitted. A new estimator is made, and gets checked arrays as its attributes; libsvm,
k-d trees, ball trees and histogram boosting have no such form here. Linear classifiers need none, they are packed: see
`treevote.models.features.linear_guide`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treevote.errors import ConfigError, ModelError
from treevote.kernels import Longs
from treevote.store.record import Record

KIND = "classifier"

MAX_DEPTH = 10_000  # of a tree
MAX_UNITS = 10_000  # of a hidden layer: rows are scored by the thousand

_Arrays: TypeAlias = dict[str, NDArray[Any]]


class Stored(NamedTuple):
    """The arrays of a classifier, not checked; and the number of its features, and of its classes."""

    arrays: Mapping[str, NDArray[Any]]
    n_features: int
    n_classes: int

    def get(self, name: str, shape: tuple[int, ...], *types: str) -> NDArray[Any]:
        """Return a copy of an array of finite numbers; KeyError or ValueError if it differs; -1 is any length."""
        array = self.arrays[name]
        same = len(shape) == array.ndim and all(a in (-1, b) for a, b in zip(shape, array.shape, strict=True))
        if not same or array.dtype.str not in types or not np.isfinite(array).all():
            raise ValueError(f"array {name} of its classifier")
        return np.array(array)


class ClassifierKind(NamedTuple):
    """A kind of classifier that is admitted.

    Attributes
    ----------
    options : mapping of str to callable
        Parameters that predictions depend on, each with a test of its values.
    write : callable
        Returns the arrays of a trained classifier.
    read : callable
        Sets these arrays in a new classifier.
    """

    options: Mapping[str, Callable[[Any], bool]]
    write: Callable[[Any], _Arrays]
    read: Callable[[Any, Stored], None]


def one_of(*values: object) -> Callable[[Any], bool]:
    """Return a test for values and their types: True is not 1."""
    return lambda value: any(type(value) is type(known) and value == known for known in values)


def has_weights(learner: Any) -> bool:
    """Tell whether a learner, trained or not, is of a linear kind."""
    from sklearn.linear_model._base import LinearClassifierMixin

    from treevote.models.learners.inequality_maxent import InequalityMaxEnt
    from treevote.models.learners.linear import OnlineLinearClassifier

    return isinstance(learner, LinearClassifierMixin | OnlineLinearClassifier | InequalityMaxEnt)


def check_admitted(learner: Any) -> None:
    """Check before training that a model can hold a learner.

    Raises
    ------
    ConfigError
        If it is neither linear nor of an admitted kind; these are named.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> check_admitted(SVC())
    Traceback (most recent call last):
    treevote.errors.ConfigError: a model cannot hold a sklearn.svm.SVC; choose a linear classifier or one of: ...
    """
    if has_weights(learner):
        return
    name = name_of(learner)
    if name not in KINDS:
        raise ConfigError(f"a model cannot hold a {name}; choose a linear classifier or one of: {', '.join(KINDS)}")
    for option, admitted in KINDS[name].options.items():
        if not admitted(getattr(learner, option)):
            raise ConfigError(
                f"a model cannot hold a {name} with {option}={getattr(learner, option)!r}; choose another"
            )


def name_of(classifier: Any) -> str:
    """Return the public dotted name of a class of scikit-learn, without private modules; the full name of any other.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> name_of(DecisionTreeClassifier())
    'sklearn.tree.DecisionTreeClassifier'
    """
    kind = type(classifier)
    steps = kind.__module__.split(".")
    public = [step for step in steps if not step.startswith("_")]
    return ".".join([*public, kind.__qualname__])


def write_classifier(classifier: Any) -> Record:
    """Return a trained classifier as data.

    Raises
    ------
    ModelError
        If it is not admitted.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> record = write_classifier(DecisionTreeClassifier().fit(csr_matrix([[0], [1]], dtype=np.float32), [0, 1]))
    >>> record.arrays["feature"].tolist(), read_classifier(record, 1).predict([[1]]).tolist()
    ([0, -2, -2], [1])
    """
    try:
        check_admitted(classifier)
        kind = KINDS[name_of(classifier)]
    except (ConfigError, KeyError) as error:
        raise ModelError(f"{error}") from None
    options = {option: getattr(classifier, option) for option in kind.options}
    arrays = {"classes": np.asarray(classifier.classes_, np.int64), **kind.write(classifier)}
    return Record(KIND, {"class": name_of(classifier), "options": options}, arrays)


def read_classifier(record: Record, n_features: int) -> Any:
    """Make the classifier of a record.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the record is none of an admitted kind, or its arrays do not fit together, or another number of features.
    """
    name, options = record.facts["class"], record.facts["options"]
    if record.kind != KIND or not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"a model cannot hold a {name!s:.99}")
    kind = KINDS[name]
    if not isinstance(options, Mapping) or options.keys() != kind.options.keys():
        raise ValueError("the options of its classifier")
    if not all(admitted(options[option]) for option, admitted in kind.options.items()):
        raise ValueError("the options of its classifier")
    module, _, attribute = name.rpartition(".")
    classifier = getattr(importlib.import_module(module), attribute)(**options)
    classes = Stored(record.arrays, n_features, 0).get("classes", (-1,), "<i8")
    if len(classes) < 2 or not (np.diff(classes) > 0).all():
        raise ValueError("the classes of its classifier")
    classifier.classes_, classifier.n_features_in_ = classes, n_features
    kind.read(classifier, Stored(record.arrays, n_features, len(classes)))
    return classifier


def _write_bayes(classifier: Any) -> _Arrays:
    return {"feature_log_prob": classifier.feature_log_prob_, "class_log_prior": classifier.class_log_prior_}


def _read_bayes(classifier: Any, stored: Stored) -> None:
    classifier.feature_log_prob_ = stored.get("feature_log_prob", (stored.n_classes, stored.n_features), "<f8", "<f4")
    classifier.class_log_prior_ = stored.get("class_log_prior", (stored.n_classes,), "<f8", "<f4")


def _write_centroids(classifier: Any) -> _Arrays:
    return {
        "centroids": classifier.centroids_,
        "deviation": classifier.within_class_std_dev_,
        "prior": classifier.class_prior_,
    }


def _read_centroids(classifier: Any, stored: Stored) -> None:
    classifier.centroids_ = stored.get("centroids", (stored.n_classes, stored.n_features), "<f8")
    classifier.within_class_std_dev_ = stored.get("deviation", (stored.n_features,), "<f8", "<f4")
    classifier.class_prior_ = stored.get("prior", (stored.n_classes,), "<f8")


def _write_network(classifier: Any) -> _Arrays:
    layers = enumerate(zip(classifier.coefs_, classifier.intercepts_, strict=True))
    return {name: array for i, pair in layers for name, array in zip((f"coef{i}", f"intercept{i}"), pair, strict=True)}


def _read_network(classifier: Any, stored: Stored) -> None:
    coefs, intercepts, width = [], [], stored.n_features
    for i in range((len(stored.arrays) - 1) // 2):
        coefs.append(stored.get(f"coef{i}", (width, -1), "<f4", "<f8"))
        width = coefs[i].shape[1]
        intercepts.append(stored.get(f"intercept{i}", (width,), "<f4", "<f8"))
        if not 0 < width <= MAX_UNITS:
            raise ValueError("the layers of its classifier")
    if not coefs or width != (1 if stored.n_classes == 2 else stored.n_classes):
        raise ValueError("the layers of its classifier")
    classifier.coefs_, classifier.intercepts_, classifier.n_layers_ = coefs, intercepts, len(coefs) + 1
    classifier.n_outputs_, classifier.out_activation_ = width, "logistic" if width == 1 else "softmax"


def _write_neighbours(classifier: Any) -> _Arrays:
    from scipy.sparse import csr_matrix

    rows = csr_matrix(classifier._fit_X)
    labels = np.asarray(classifier.classes_, np.int64)[classifier._y]
    return {"indptr": rows.indptr.astype(np.int32), "indices": rows.indices.astype(np.int32), "labels": labels}


def _read_neighbours(classifier: Any, stored: Stored) -> None:
    labels, indices = stored.get("labels", (-1,), "<i8"), stored.get("indices", (-1,), "<i4")
    indptr = stored.get("indptr", (len(labels) + 1,), "<i4")
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != len(indices):
        raise ValueError("the rows of its classifier")
    if ((indices < 0) | (indices >= stored.n_features)).any() or classifier.n_neighbors > len(labels):
        raise ValueError("the rows of its classifier")
    if not np.array_equal(np.unique(labels), classifier.classes_):
        raise ValueError("the rows of its classifier")
    from scipy.sparse import csr_matrix

    rows = csr_matrix((np.ones(len(indices), np.float32), indices, indptr), shape=(len(labels), stored.n_features))
    classifier.fit(rows, labels)


def _write_pairs(classifier: Any) -> _Arrays:
    expansion, svm = classifier.expansion_, classifier.svm_
    earlier = np.ascontiguousarray(expansion.pairs_[:, 0], np.int32)
    return {"earlier": earlier, "starts": expansion.starts_, "coef": svm.coef_.T, "intercept": svm.intercept_}


def _read_pairs(classifier: Any, stored: Stored) -> None:
    from treevote.models.learners.pairs import PairExpansion
    from treevote.models.learners.passive_aggressive import PassiveAggressive

    earlier, starts = stored.get("earlier", (-1,), "<i4"), stored.get("starts", (stored.n_features + 1,), "<i8")
    counts = np.diff(starts)
    if starts[0] != 0 or (counts < 0).any() or starts[-1] != len(earlier):
        raise ValueError("the pairs of its classifier")
    later = np.repeat(np.arange(stored.n_features, dtype=np.int32), counts)
    expansion: Any = PairExpansion(kernel_scale=True)
    svm: Any = PassiveAggressive()
    expansion.pairs_, expansion.starts_ = np.column_stack([earlier, later]), starts
    expansion.n_features_in_ = stored.n_features
    svm.n_features_in_ = stored.n_features + len(earlier)
    svm.coef_ = stored.get("coef", (svm.n_features_in_, stored.n_classes), "<f4").T
    svm.intercept_, svm.classes_ = stored.get("intercept", (stored.n_classes,), "<f4"), classifier.classes_
    classifier.expansion_, classifier.svm_ = expansion, svm


def _write_trees(classifier: Any) -> _Arrays:
    trees = [one.tree_ for one in getattr(classifier, "estimators_", [classifier])]

    def column(name: str, dtype: type) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees]).astype(dtype)

    return {
        "sizes": np.array([tree.node_count for tree in trees], np.int64),
        "left": column("children_left", np.int32),
        "right": column("children_right", np.int32),
        "feature": column("feature", np.int32),
        "threshold": column("threshold", np.float64),
        "value": column("value", np.float64)[:, 0],
    }


def _read_trees(classifier: Any, stored: Stored) -> None:
    from sklearn.tree._tree import NODE_DTYPE, Tree

    sizes, left = stored.get("sizes", (-1,), "<i8"), stored.get("left", (-1,), "<i4")
    own = (len(left),)
    right, feature = stored.get("right", own, "<i4"), stored.get("feature", own, "<i4")
    threshold = stored.get("threshold", own, "<f8")
    value = stored.get("value", (len(left), stored.n_classes), "<f8")
    if not ((sizes > 0) & (sizes <= len(left))).all() or sum(sizes.tolist()) != len(left) or not len(sizes):
        raise ValueError("the trees of its classifier")
    check_trees(sizes, left, right)
    if (((feature < 0) | (feature >= stored.n_features)) & (left >= 0)).any():
        raise ValueError("the features of its trees")
    nodes: Any = np.zeros(len(left), NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = left, right
    nodes["feature"], nodes["threshold"] = feature, threshold
    several = hasattr(classifier, "estimator")
    parts = []
    last = 0
    for size in sizes.tolist():
        first, last = last, last + size
        tree = Tree(stored.n_features, np.array([stored.n_classes], np.intp), 1)
        part = np.ascontiguousarray(value[first:last, None])
        tree.__setstate__({"max_depth": 0, "node_count": size, "nodes": nodes[first:last].copy(), "values": part})
        one = type(classifier.estimator)() if several else classifier
        one.tree_, one.n_features_in_, one.n_outputs_, one.n_classes_ = tree, stored.n_features, 1, stored.n_classes
        one.classes_ = classifier.classes_
        parts.append(one)
    if several:
        classifier.estimators_, classifier.n_estimators = parts, len(parts)
        classifier.n_outputs_, classifier.n_classes_ = 1, stored.n_classes
    elif len(parts) != 1:
        raise ValueError("the trees of its classifier")


def check_trees(sizes: Longs, left: NDArray[Any], right: NDArray[Any]) -> None:
    """Check that nodes are trees: every node but the first of a tree is the child of an earlier one.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_trees,)
    left, right : ndarray of int32, shape (n_nodes,)
        Children, counted from the first node of the tree; left is -1 for none.

    Raises
    ------
    ValueError
        If they are not, or a tree is deeper than ``MAX_DEPTH``.
    """
    roots = np.cumsum(sizes) - sizes
    first = np.repeat(roots, sizes)
    inner = np.flatnonzero(left != -1)
    children = np.stack([left[inner], right[inner]]) + first[inner]
    if (children <= inner).any() or (children >= (first + np.repeat(sizes, sizes))[inner]).any():
        raise ValueError("the children in its trees")
    times = np.bincount(np.append(children.ravel(), roots), minlength=len(left))
    if (times != 1).any():
        raise ValueError("the children in its trees")
    below = np.full((2, len(left)), -1)
    below[:, inner] = children
    level = roots
    for _ in range(MAX_DEPTH):
        level = below[:, level].ravel()
        level = level[level >= 0]
        if not len(level):
            return
    raise ValueError("the depth of its trees")


_TREES = ClassifierKind({}, _write_trees, _read_trees)

KINDS = {
    **{
        f"sklearn.{name}": _TREES
        for name in (
            "tree.DecisionTreeClassifier",
            "tree.ExtraTreeClassifier",
            "ensemble.RandomForestClassifier",
            "ensemble.ExtraTreesClassifier",
        )
    },
    "sklearn.naive_bayes.BernoulliNB": ClassifierKind({"binarize": one_of(None, 0.0)}, _write_bayes, _read_bayes),
    "sklearn.naive_bayes.MultinomialNB": ClassifierKind({}, _write_bayes, _read_bayes),
    "sklearn.naive_bayes.ComplementNB": ClassifierKind({}, _write_bayes, _read_bayes),
    "sklearn.neighbors.NearestCentroid": ClassifierKind(
        {"metric": one_of("euclidean", "manhattan")}, _write_centroids, _read_centroids
    ),
    "sklearn.neighbors.KNeighborsClassifier": ClassifierKind(
        {
            "n_neighbors": lambda value: type(value) is int and value > 0,
            "weights": one_of("uniform", "distance"),
            "metric": one_of("minkowski", "euclidean", "manhattan", "cosine"),
            "p": one_of(1, 2),
        },
        _write_neighbours,
        _read_neighbours,
    ),
    "sklearn.neural_network.MLPClassifier": ClassifierKind(
        {"activation": one_of("identity", "logistic", "tanh", "relu")}, _write_network, _read_network
    ),
    "treevote.models.learners.pairs.PairsSVM": ClassifierKind({}, _write_pairs, _read_pairs),
}
"""Public name to kind."""
