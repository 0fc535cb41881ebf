"""Actions from which all given arcs can still be reached, for the transitions of `arc_standard`.

A dependent is reduced onto its given head alone, and when it has all its own given dependents. What is shifted onto a
word hides it: a word with a given head, or a given dependent, further left in the stack must come up again for that
arc, so all that is shifted before has to end below it. The topmost such word is the *barrier*: the next word of the
queue is shifted only if the barrier can be above it, that is if it is a given descendant of the barrier, or all words
that given arcs connect it with lie to the right of the barrier. The lower words of this kind then can be so, too.

These conditions are necessary, and for given arcs of a projective tree some action always meets them (constraints for
another system: Nivre, Goldberg & McDonald 2014, "Constrained arc-eager dependency parsing").
"""

from __future__ import annotations

from treevote.kernels import Bools, leaf
from treevote.models.parsers.given_arcs import GivenArcs, permits_label
from treevote.models.parsers.transition.arc_standard import REDUCE_LEFT, REDUCE_RIGHT, Actions
from treevote.models.parsers.transition.configuration import BARRIER, BELOW, FRONT, TOKEN, TOP, Workspace


@leaf
def reachable(space: Workspace, actions: Actions, given: GivenArcs, here: int, mask: Bools, kept: Bools) -> None:
    """Write those of the legal actions from which all given arcs can be reached; the masks have shape (n_actions,).

    They were written for the configurations before ``here``. If no action of the model meets the conditions, all legal
    ones are kept; if no label does, all those of the direction.
    """
    configuration = space.configurations[here]
    below, front = configuration[BELOW], configuration[FRONT]
    configuration[BARRIER] = 0
    if len(given.heads) == 0 or below < 0:
        for action in range(len(mask)):
            kept[action] = mask[action]
        return
    beneath = space.configurations[below]
    upper, lower = space.trees[configuration[TOP], TOKEN], space.trees[beneath[TOP], TOKEN]
    lowest = space.trees[space.configurations[beneath[BELOW], TOP], TOKEN] if beneath[BELOW] >= 0 else -1
    head_of_upper, head_of_lower = given.heads[upper], given.heads[lower]
    waits = 0 <= head_of_upper < upper or given.leftmost[upper] <= lower
    configuration[BARRIER] = upper if waits else beneath[BARRIER]
    to_left = (
        (head_of_upper < 0 or head_of_upper == lower)
        and given.leftmost[upper] > lower
        and given.rightmost[upper] < front
    )
    to_right = (
        lower > 0
        and (head_of_lower < 0 or head_of_lower == upper)
        and given.leftmost[lower] > lowest
        and given.rightmost[lower] < upper
    )
    at_once = to_right and head_of_lower == upper  # as in the derivations of the training
    if at_once:
        to_left = False
    kept[0] = mask[0] and not at_once and _can_be_above(given, int(configuration[BARRIER]), int(front))
    found = kept[0]
    for action in range(1, len(mask)):
        kept[action] = mask[action] and (to_left if actions.kind[action] == REDUCE_LEFT else to_right)
        found = found or kept[action]
    if not found:
        for action in range(len(mask)):
            kept[action] = mask[action]
        return
    if to_left:
        _keep_labels(given, actions, REDUCE_LEFT, int(upper), kept)
    if to_right:
        _keep_labels(given, actions, REDUCE_RIGHT, int(lower), kept)


@leaf
def _keep_labels(given: GivenArcs, actions: Actions, kind: int, dependent: int, kept: Bools) -> None:
    """Leave those of the kept actions of a kind whose label a dependent may have; all of them if there is none."""
    if given.heads[dependent] < 0 and given.deprels[dependent] < 0:
        return
    named = False
    for action in range(1, len(kept)):
        if kept[action] and actions.kind[action] == kind:
            named = named or permits_label(given, dependent, int(actions.label[action]))
    for action in range(1, len(kept)):
        if named and actions.kind[action] == kind:
            kept[action] = kept[action] and permits_label(given, dependent, int(actions.label[action]))


@leaf
def _can_be_above(given: GivenArcs, barrier: int, token: int) -> bool:
    """Tell whether a token of the queue can come below the barrier, a word of the stack; 0 for none."""
    if barrier == 0 or given.component[token] > barrier:
        return True
    while token > 0 and token != barrier:
        token = int(given.heads[token])
    return token == barrier
