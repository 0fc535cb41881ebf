"""The vote of several systems over the trees of the same sentences.

The weight of an arc is the sum of the weights of the systems that propose it, and the heaviest tree is the parse
(Sagae & Lavie 2006; Sagae & Tsujii 2007, section 3). If the heaviest heads of all tokens are a tree, it is this one,
found in compiled loops over the whole treebank; only the few other sentences need `treevote.ensemble.arborescence`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from treevote.corpus.given import FREE_LABEL, Given
from treevote.corpus.treebank import Treebank, require_treebanks
from treevote.corpus.trees import mask_of_trees, per_sentence
from treevote.corpus.vocabulary import common_labels
from treevote.ensemble.arborescence import spanning_tree
from treevote.ensemble.weights import Weights
from treevote.errors import ConfigError, InputError
from treevote.evaluation.counts import check_same_sentences
from treevote.kernels import Bools, Ints, Longs, kernel

Number = TypeVar("Number", np.int32, np.int64)


def vote(
    systems: Sequence[Treebank], weights: Weights | None = None, *, single_root: bool, given: Given | None = None
) -> Treebank:
    """Return the trees whose arcs have most votes.

    Parameters
    ----------
    systems : sequence of Treebank, length k
        The same sentences as each system parsed them; a head of -1 abstains. Heads need not be trees.
    weights : Weights, optional
        Weight of each system; by default all are equal.
    single_root : bool
        Whether ROOT must have exactly one dependent, as in Universal Dependencies.
    given : Given, optional
        Arcs that the trees must hold: all systems vote for them, and there are no other arcs to their dependents.

    Returns
    -------
    Treebank
        Words and source of ``systems[0]``, and new trees. ``support`` is the weight of the systems that voted for an
        arc, as a share of all that did not abstain on its token; ``label_support`` is the weight of those that voted
        for the arc with its label, as a share of the former. A sentence that no system parsed stays without heads.

    Raises
    ------
    InputError
        If no system is given, the sentences differ, a head is not a position of another token, or the weights are for
        another number of systems; if a system is no treebank.
    ConfigError
        If the weights are something else.

    Notes
    -----
    *Ties.* Weights are whole numbers (`Weights.table`), so sums are exact, and trees may have equal weight. Ties go to
    the tree with the larger sum of the weights of the heaviest label of each arc; then to the smaller sum of the
    indices of the first system that gave each arc its heaviest label (k for an arc without a vote); then to the smaller
    sequence of heads. So the result is unique, and the order of the systems matters in ties only: name the best first.

    *Labels.* An arc gets the heaviest label among its votes; of labels that tie, that of the system named first. ``_``
    is no label, and is voted for where no system has another one.

    *Arcs without a vote* occur where the votes hold no tree, see `treevote.ensemble.arborescence.spanning_tree`. They
    have support 0 and the given label, else ``root`` from ROOT and ``dep``, the unspecified relation of Universal
    Dependencies, from a word.

    Examples
    --------
    >>> words = ["she", "saw", "stars"]
    >>> one = Treebank.of([(words, [2, 0, 2], ["nsubj", "root", "obj"])])
    >>> two = Treebank.of([(words, [2, 0, 1], ["nsubj", "root", "nmod"])])
    >>> three = Treebank.of([(words, [2, 0, 2], ["dep", "root", "obj"])])
    >>> voted = vote([one, two, three], single_root=True)
    >>> voted.heads.tolist(), voted.sentence(0).deprels
    ([-1, 2, 0, 2], ('', 'nsubj', 'root', 'obj'))
    >>> [f"{share:.2f}" for share in voted.support], [f"{share:.2f}" for share in voted.label_support]
    (['0.00', '1.00', '1.00', '0.67'], ['0.00', '0.67', '1.00', '1.00'])
    """
    systems = require_treebanks(systems)
    if given is not None:
        if not isinstance(given, Given):
            problem = f"expected Given, found {type(given).__name__}"
            raise ConfigError(f"given: {problem}; make it with treevote.corpus.given.Given.of")
        systems = [given.held(system) for system in systems]
    weights = Weights.equal(len(systems)) if weights is None else weights
    if not isinstance(weights, Weights):
        problem = f"expected Weights, found {type(weights).__name__}"
        raise ConfigError(f"weights: {problem}; measure some with Weights.by_accuracy, or leave them out")
    is_alone = len(systems) == len(weights.overall) == 1 and FREE_LABEL not in systems[0].labels
    if is_alone and not len(_conflicts(systems[0], systems[0].heads, single_root)):
        alone, has_head = systems[0].only("tag_confidence"), systems[0].heads >= 0
        deprels, share = np.where(has_head, alone.deprels, np.int32(-1)), has_head.astype(np.float32)
        return dataclasses.replace(alone, deprels=deprels, support=share, label_support=share)
    ballots = Ballots.of(systems)
    if len(weights.overall) != len(systems):
        raise InputError(f"expected a system for each of {len(weights.overall)} weights, found {len(systems)}")
    table = weights.table(systems[0])
    weight, labelled = arc_weights(ballots.heads, ballots.deprels, table)
    voted, winner = heaviest_trees(systems[0], ballots, weight, labelled, single_root=single_root, given=given)
    return with_support(voted, ballots, table, weight, labelled, winner)


class Ballots(NamedTuple):
    """The votes of k systems."""

    heads: Ints  # shape (k, n_slots), as in a treebank
    deprels: Ints  # shape (k, n_slots), indices in labels
    labels: tuple[str, ...]

    @classmethod
    def of(cls, systems: Sequence[Treebank]) -> Ballots:
        """Return the votes of systems; InputError if sentences differ or a head is not a position of another token."""
        check_same_sentences(systems)
        heads = np.stack([system.heads for system in systems])
        faults = heads == systems[0].positions
        if faults.any():
            slot = int(faults.any(0).argmax())
            k = int(faults[:, slot].argmax())
            raise dataclasses.replace(systems[k], name=systems[k].name or f"system {k + 1}").fault(
                slot, f"expected its head to be another token, or none (_), found {heads[k, slot]}", "correct the head"
            )
        labels, deprels = common_labels(systems)
        return cls(heads, deprels, tuple(labels))


def heaviest_trees(
    treebank: Treebank,
    ballots: Ballots,
    weight: Longs,
    labelled: Longs,
    *,
    single_root: bool,
    given: Given | None = None,
) -> tuple[Treebank, Ints]:
    """Return ``treebank`` with the heaviest trees, and the system with the heaviest vote for each arc (-1 for none).

    ``weight`` and ``labelled``, shape (k, n_slots), are the weights of the arc that each system votes for, alone and
    with its label. Ties are those of `vote`. All systems have voted for the ``given`` arcs.
    """
    heads, deprels, labels = ballots
    labelled = _named(ballots, labelled)
    winner = winners(heads >= 0, weight, labelled)
    chosen, offsets = _of_winner(heads, winner), treebank.offsets
    for i in _conflicts(treebank, chosen, single_root):
        span = slice(int(offsets[i]), int(offsets[i + 1]))
        arcs = _scores(heads[:, span], weight[:, span], labelled[:, span])
        fixed = () if given is None else np.flatnonzero(given.heads[span] >= 0).tolist()
        chosen[span] = spanning_tree(arcs, single_root=single_root, given=set(fixed))
        winner[span] = winners(heads[:, span] == chosen[span], weight[:, span], labelled[:, span])
    deprel = _of_winner(deprels, winner)
    unvoted = np.flatnonzero((chosen >= 0) & (winner < 0))
    if len(unvoted):
        known = {label: number for number, label in enumerate(labels)}
        root, other = (known.setdefault(label, len(known)) for label in ("root", "dep"))
        deprel[unvoted] = np.where(chosen[unvoted] == 0, root, other)
        labels = tuple(known)
    voted = treebank.with_trees(chosen, deprel, labels)
    return (voted if given is None else given.held(voted)), winner


def with_support(
    voted: Treebank, ballots: Ballots, table: Longs, weight: Longs, labelled: Longs, winner: Ints
) -> Treebank:
    """Return the heaviest trees with their support, for the weights of `arc_weights`."""
    for_any = np.where(ballots.heads >= 0, table, 0).sum(0)
    for_arc, for_label = (np.maximum(_of_winner(votes, winner), 0) for votes in (weight, _named(ballots, labelled)))
    return dataclasses.replace(
        voted,
        support=(for_arc / np.maximum(for_any, 1)).astype(np.float32),
        label_support=(for_label / np.maximum(for_arc, 1)).astype(np.float32),
    )


def _named(ballots: Ballots, labelled: Longs) -> Longs:
    """Return weights of labels without those of ``_``, which is none."""
    if FREE_LABEL not in ballots.labels:
        return labelled
    return np.where(ballots.deprels == ballots.labels.index(FREE_LABEL), 0, labelled)


def _of_winner(votes: NDArray[Number], winner: Ints) -> NDArray[Number]:
    """Return the vote of the winning system for each slot, given votes of shape (k, n_slots); -1 without a winner."""
    return np.where(winner >= 0, votes[winner, np.arange(len(winner))], votes.dtype.type(-1))


def _conflicts(treebank: Treebank, heads: Ints, single_root: bool) -> Longs:
    """Return the sentences (from 0) with votes whose heads are no tree or have too many roots."""
    wrong = ~mask_of_trees(heads, treebank.offsets)
    if single_root:
        wrong |= per_sentence(heads == 0, treebank.offsets) != 1
    return np.flatnonzero(wrong & (per_sentence(heads >= 0, treebank.offsets) > 0))


def _scores(heads: Ints, weight: Longs, labelled: Longs) -> list[dict[int, int]]:
    """Return the score of every arc of a sentence that got a vote: for each dependent, by head.

    The weight of the arc, that of its heaviest label, and the rank of its system become the digits of one number, whose
    radices exceed the sum of the lower digits over a tree. The arrays, shape (k, n + 1), are those of `arc_weights`.
    """
    k, n_positions = heads.shape
    by_system = n_positions * (k + 1)
    by_label = (n_positions * int(labelled.max()) + 1) * by_system
    arcs: list[dict[int, int]] = [{} for _ in range(n_positions)]
    for i, rows in enumerate(zip(heads.tolist(), weight.tolist(), labelled.tolist(), strict=True)):
        for into, head, for_arc, for_label in zip(arcs, *rows, strict=True):
            if head >= 0:
                score = for_arc * by_label + for_label * by_system + k - i
                into[head] = max(into.get(head, 0), score)
    return arcs


@kernel
def arc_weights(heads: Ints, deprels: Ints, table: Longs) -> tuple[Longs, Longs]:
    """Return the weight of the arc that each system votes for, and of the arc with its label; 0 where it abstains.

    All arrays have the shape (k, n_slots): heads (-1 for none), deprels, the weight of each system, and the results.
    """
    k, n_slots = heads.shape
    weight, labelled = np.zeros((k, n_slots), np.int64), np.zeros((k, n_slots), np.int64)
    for a in range(k):
        for b in range(k):
            for slot in range(n_slots):
                if heads[a, slot] >= 0 and heads[a, slot] == heads[b, slot]:
                    weight[a, slot] += table[b, slot]
                    if deprels[a, slot] == deprels[b, slot]:
                        labelled[a, slot] += table[b, slot]
    return weight, labelled


@kernel
def winners(candidates: Bools, weight: Longs, labelled: Longs) -> Ints:
    """Return for each slot the candidate with the heaviest arc; in a tie the heaviest label, then the first.

    ``candidates`` is a mask of systems, shape (k, n_slots); the weights are those of `arc_weights`. The result, shape
    (n_slots,), is the number of the system, -1 without a candidate.
    """
    k, n_slots = candidates.shape
    winner = np.full(n_slots, -1, np.int32)
    for slot in range(n_slots):
        for a in range(k):
            best = winner[slot]
            if candidates[a, slot] and (
                best < 0
                or weight[a, slot] > weight[best, slot]
                or (weight[a, slot] == weight[best, slot] and labelled[a, slot] > labelled[best, slot])
            ):
                winner[slot] = a
    return winner
